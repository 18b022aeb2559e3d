package dev.baton.contract.ledger;

/**
 * Accumulated traffic of one or many transfers, logical and physical kept apart (§0x01A, §0x06). Immutable; add with
 * {@link #plus}. The sums are derived, so {@code payload = logical + padding} and {@code wire = payload + header + retried}
 * always hold.
 *
 * @param logicalKvBytes K/V state delivered, each row counted once
 * @param paddingBytes unused slots of partly filled blocks that travelled with it
 * @param headerBytes framing of the first sending of every chunk
 * @param retriedBytes everything sent again: payload and framing
 */
public record TrafficLedger(long logicalKvBytes, long paddingBytes, long headerBytes, long retriedBytes) {
    public static final TrafficLedger EMPTY = new TrafficLedger(0, 0, 0, 0);

    public TrafficLedger {
        requireNotNegative("logicalKvBytes", logicalKvBytes);
        requireNotNegative("paddingBytes", paddingBytes);
        requireNotNegative("headerBytes", headerBytes);
        requireNotNegative("retriedBytes", retriedBytes);
    }

    /**
     * The first sending of one chunk.
     *
     * @throws IllegalArgumentException when the payload is smaller than the state it is said to hold
     */
    public static TrafficLedger sent(long logicalKvBytes, long payloadBytes, long headerBytes) {
        if (payloadBytes < logicalKvBytes) {
            throw new IllegalArgumentException(
                    "payload of " + payloadBytes + " bytes cannot hold " + logicalKvBytes + " K/V bytes");
        }
        return new TrafficLedger(logicalKvBytes, payloadBytes - logicalKvBytes, headerBytes, 0);
    }

    /** A chunk sent again: no new state, only wire bytes. */
    public static TrafficLedger resent(long payloadBytes, long headerBytes) {
        return new TrafficLedger(0, 0, 0, Math.addExact(payloadBytes, headerBytes));
    }

    public TrafficLedger plus(TrafficLedger other) {
        return new TrafficLedger(
                Math.addExact(logicalKvBytes, other.logicalKvBytes),
                Math.addExact(paddingBytes, other.paddingBytes),
                Math.addExact(headerBytes, other.headerBytes),
                Math.addExact(retriedBytes, other.retriedBytes));
    }

    public long payloadBytes() {
        return logicalKvBytes + paddingBytes;
    }

    /** Everything that was put on the link. */
    public long wireBytes() {
        return payloadBytes() + headerBytes + retriedBytes;
    }

    private static void requireNotNegative(String name, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(name + " must not be negative, found " + bytes);
        }
    }
}
