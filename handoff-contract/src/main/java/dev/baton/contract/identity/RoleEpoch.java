package dev.baton.contract.identity;

/** Version of a worker's role; a queued item of an older role is refused. */
public record RoleEpoch(long value) implements Comparable<RoleEpoch> {
    public RoleEpoch {
        Identities.requireNotNegative("RoleEpoch", value);
    }

    public static final RoleEpoch FIRST = new RoleEpoch(1);

    public RoleEpoch next() {
        return new RoleEpoch(Math.incrementExact(value));
    }

    @Override
    public int compareTo(RoleEpoch other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
