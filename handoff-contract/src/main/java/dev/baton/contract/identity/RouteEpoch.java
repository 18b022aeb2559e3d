package dev.baton.contract.identity;

/** Version of the routing decision; advanced to revoke capabilities and to retire routes. */
public record RouteEpoch(long value) implements Comparable<RouteEpoch> {
    public RouteEpoch {
        Identities.requireNotNegative("RouteEpoch", value);
    }

    public static final RouteEpoch FIRST = new RouteEpoch(1);

    public RouteEpoch next() {
        return new RouteEpoch(Math.incrementExact(value));
    }

    @Override
    public int compareTo(RouteEpoch other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
