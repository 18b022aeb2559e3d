package dev.baton.transfer.destination;

/**
 * How long a transfer may stay in each state that is not terminal, at the destination.
 *
 * @param plannedNanos until the blocks are reserved
 * @param reservedNanos until the first chunk arrives; includes waiting for prefill
 * @param transferringNanos from the first chunk until the last is visible and sealed
 * @param validatedNanos until the directory has answered
 * @param abortingNanos until the transport is quiescent; then the epoch is fenced
 */
public record Deadlines(
        long plannedNanos, long reservedNanos, long transferringNanos, long validatedNanos, long abortingNanos) {
    public Deadlines {
        if (plannedNanos <= 0
                || reservedNanos <= 0
                || transferringNanos <= 0
                || validatedNanos <= 0
                || abortingNanos <= 0) {
            throw new IllegalArgumentException("every deadline must be positive, found " + plannedNanos + ", "
                    + reservedNanos + ", " + transferringNanos + ", " + validatedNanos + ", " + abortingNanos);
        }
    }
}
