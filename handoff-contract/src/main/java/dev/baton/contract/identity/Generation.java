package dev.baton.contract.identity;

/** Raised by the request entity each time a request is started anew after a failure; the newest wins. */
public record Generation(long value) implements Comparable<Generation> {
    public Generation {
        Identities.requireNotNegative("Generation", value);
    }

    public static final Generation FIRST = new Generation(1);

    public Generation next() {
        return new Generation(Math.incrementExact(value));
    }

    @Override
    public int compareTo(Generation other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
