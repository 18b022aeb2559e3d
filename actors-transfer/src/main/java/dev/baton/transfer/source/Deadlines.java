package dev.baton.transfer.source;

/**
 * How long a transfer may stay in each state that is not terminal, at the source.
 *
 * @param announcedNanos until the destination has reserved; may include prefill's queue
 * @param streamingNanos until every chunk has left
 * @param sealedNanos until publication is acknowledged; then the seal is sent again
 * @param sealAttempts how often the seal is sent before the source gives up
 * @param abortingNanos until the transport is quiescent; then the epoch is fenced
 */
public record Deadlines(
        long announcedNanos, long streamingNanos, long sealedNanos, int sealAttempts, long abortingNanos) {
    public Deadlines {
        if (announcedNanos <= 0 || streamingNanos <= 0 || sealedNanos <= 0 || sealAttempts <= 0 || abortingNanos <= 0) {
            throw new IllegalArgumentException("every deadline must be positive, found " + announcedNanos + ", "
                    + streamingNanos + ", " + sealedNanos + " x " + sealAttempts + ", " + abortingNanos);
        }
    }
}
