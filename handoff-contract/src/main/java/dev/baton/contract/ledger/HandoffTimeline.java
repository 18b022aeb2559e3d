package dev.baton.contract.ledger;

import java.util.List;
import java.util.Optional;

/**
 * One handoff as it was observed (§0x0F), from which trace and benchmark compute the same figures. All times are of one clock:
 * on several hosts, the caller maps them first.
 *
 * @param chunks in index order; empty where the destination lacked nothing
 * @param prefillStartNanos start of the compute that produced the chunks
 * @param sealedNanos when the source sealed the transfer
 * @param validatedNanos when the destination had validated it
 * @param publishedNanos end of publication
 * @param decodeReadyNanos when decode could have begun but for the handoff: its reservation stood and prefill had ended
 */
public record HandoffTimeline(
        List<ChunkTimes> chunks,
        long prefillStartNanos,
        long sealedNanos,
        long validatedNanos,
        long publishedNanos,
        long decodeReadyNanos) {

    /**
     * One chunk on its way.
     *
     * @param readyNanos its K/V was produced
     * @param sentNanos handed to the link
     * @param receivedNanos arrived complete
     * @param visibleNanos readable by the destination device
     */
    public record ChunkTimes(
            long payloadBytes, long readyNanos, long sentNanos, long receivedNanos, long visibleNanos) {}

    /** An order of §0x06A or §0x06C that the observed times break: a defect, or clocks that disagree. */
    public enum GateViolation {
        SENT_BEFORE_READY,
        RECEIVED_BEFORE_SENT,
        VISIBLE_BEFORE_RECEIVED,
        SEALED_BEFORE_READY,
        VALIDATED_BEFORE_SEALED,
        VALIDATED_BEFORE_VISIBLE,
        PUBLISHED_BEFORE_VALIDATED
    }

    public HandoffTimeline {
        chunks = List.copyOf(chunks);
    }

    /** The first broken order, chunks before the transaction; empty when figures may be trusted. */
    public Optional<GateViolation> firstViolation() {
        for (ChunkTimes chunk : chunks) {
            if (chunk.sentNanos() < chunk.readyNanos()) {
                return Optional.of(GateViolation.SENT_BEFORE_READY);
            }
            if (chunk.receivedNanos() < chunk.sentNanos()) {
                return Optional.of(GateViolation.RECEIVED_BEFORE_SENT);
            }
            if (chunk.visibleNanos() < chunk.receivedNanos()) {
                return Optional.of(GateViolation.VISIBLE_BEFORE_RECEIVED);
            }
            if (sealedNanos < chunk.readyNanos()) {
                return Optional.of(GateViolation.SEALED_BEFORE_READY);
            }
        }
        if (validatedNanos < sealedNanos) {
            return Optional.of(GateViolation.VALIDATED_BEFORE_SEALED);
        }
        if (chunks.stream().anyMatch(c -> validatedNanos < c.visibleNanos())) {
            return Optional.of(GateViolation.VALIDATED_BEFORE_VISIBLE);
        }
        if (publishedNanos < validatedNanos) {
            return Optional.of(GateViolation.PUBLISHED_BEFORE_VALIDATED);
        }
        return Optional.empty();
    }

    public long payloadBytes() {
        return chunks.stream().mapToLong(ChunkTimes::payloadBytes).sum();
    }

    /** First chunk sent to last chunk visible; 0 where nothing moved. */
    public long transferWallNanos() {
        if (chunks.isEmpty()) {
            return 0;
        }
        long firstSent = chunks.stream().mapToLong(ChunkTimes::sentNanos).min().orElseThrow();
        long lastVisible =
                chunks.stream().mapToLong(ChunkTimes::visibleNanos).max().orElseThrow();
        return Math.max(0, lastVisible - firstSent);
    }

    /** Prefill compute: its start to its last ready chunk; a stretch of no length where nothing moved. */
    public Span prefillCompute() {
        long finalReady =
                chunks.stream().mapToLong(ChunkTimes::readyNanos).max().orElse(prefillStartNanos);
        return new Span(prefillStartNanos, Math.max(prefillStartNanos, finalReady));
    }

    /** Chunk time, sent to visible, against prefill compute. */
    public OverlapLedger overlap() {
        List<Span> transfers = chunks.stream()
                .map(c -> new Span(c.sentNanos(), Math.max(c.sentNanos(), c.visibleNanos())))
                .toList();
        return OverlapLedger.of(transfers, prefillCompute());
    }

    /** Payload that was visible at the destination before prefill had produced its last chunk. */
    public long overlappedPayloadBytes() {
        long finalReady = prefillCompute().endNanos();
        return chunks.stream()
                .filter(c -> c.visibleNanos() <= finalReady)
                .mapToLong(ChunkTimes::payloadBytes)
                .sum();
    }

    /** {@code max(0, t_publishEnd - t_decodeReady)}: what the client waits for the handoff alone. */
    public long exposedStallNanos() {
        return Math.max(0, publishedNanos - decodeReadyNanos);
    }
}
