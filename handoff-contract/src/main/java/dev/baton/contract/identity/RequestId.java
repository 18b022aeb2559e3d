package dev.baton.contract.identity;

/** One client request; also the entity id of the sharded request entity and the key of its journal. */
public record RequestId(String value) implements Comparable<RequestId> {
    public RequestId {
        Identities.requireName("RequestId", value);
    }

    @Override
    public int compareTo(RequestId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
