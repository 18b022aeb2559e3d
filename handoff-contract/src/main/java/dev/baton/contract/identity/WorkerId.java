package dev.baton.contract.identity;

/** The stable name of a worker in the cluster; its epoch says which incarnation. */
public record WorkerId(String value) implements Comparable<WorkerId> {
    public WorkerId {
        Identities.requireName("WorkerId", value);
    }

    @Override
    public int compareTo(WorkerId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
