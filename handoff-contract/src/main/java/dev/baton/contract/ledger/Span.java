package dev.baton.contract.ledger;

/** A stretch of time {@code [startNanos, endNanos)} on one clock. */
public record Span(long startNanos, long endNanos) {
    public Span {
        if (endNanos < startNanos) {
            throw new IllegalArgumentException("span ends at " + endNanos + " ns, before its start at " + startNanos);
        }
    }

    public long nanos() {
        return endNanos - startNanos;
    }

    /** Time common to both. */
    public long overlapNanos(Span other) {
        return Math.max(0, Math.min(endNanos, other.endNanos) - Math.max(startNanos, other.startNanos));
    }
}
