package dev.baton.contract.identity;

/** Numbers the transfer attempts of one generation. */
public record Attempt(long value) implements Comparable<Attempt> {
    public Attempt {
        Identities.requireNotNegative("Attempt", value);
    }

    public static final Attempt FIRST = new Attempt(1);

    public Attempt next() {
        return new Attempt(Math.incrementExact(value));
    }

    @Override
    public int compareTo(Attempt other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
