package dev.baton.contract.identity;

/** One admission at the destination: K/V blocks set aside for a whole trajectory. Unique within a worker epoch. */
public record ReservationId(long value) implements Comparable<ReservationId> {
    public ReservationId {
        Identities.requireNotNegative("ReservationId", value);
    }

    @Override
    public int compareTo(ReservationId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
