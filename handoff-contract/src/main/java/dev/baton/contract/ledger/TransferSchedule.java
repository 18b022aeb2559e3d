package dev.baton.contract.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * When a transfer would finish on one serialized link: §0x06C with credits and publication, of which the recurrence of §0x08I,
 * {@code v_l = max(r_l, v_{l-1}) + x_l}, is the case without either.
 *
 * <p>A chunk starts when the link is free, its K/V is ready (producer gate) and its bytes fit the credit window; its credit
 * returns when it is visible. Nothing is published before every chunk is visible (consumer gate).
 *
 * @param chunks times of each chunk, in sending order
 * @param finalReadyNanos when prefill produced the last K/V
 * @param validatedNanos end of validation
 * @param publishedNanos end of publication
 */
public record TransferSchedule(List<ChunkSlot> chunks, long finalReadyNanos, long validatedNanos, long publishedNanos) {

    /**
     * One chunk to send.
     *
     * @param readyNanos when its K/V is produced
     * @param transferNanos its time on the link
     */
    public record Chunk(long payloadBytes, long readyNanos, long transferNanos) {}

    /** When a chunk took the link, left it, and could be read by the destination device. */
    public record ChunkSlot(long startNanos, long receivedNanos, long visibleNanos) {}

    /**
     * What the way costs besides the link time of each chunk.
     *
     * @param creditWindowBytes bound on payload bytes sent and not yet visible
     * @param deviceCopyNanos from receipt to visibility
     * @param validationNanos after the last chunk is visible
     * @param publicationNanos after validation
     */
    public record Path(long creditWindowBytes, long deviceCopyNanos, long validationNanos, long publicationNanos) {
        /** No credit bound, and visible, validated and published on receipt: the bare link of §0x08I. */
        public static final Path BARE = new Path(Long.MAX_VALUE, 0, 0, 0);
    }

    public TransferSchedule {
        chunks = List.copyOf(chunks);
    }

    /** Chunks of a layered prompt in sending order: {@code chunksPerLayer} equal chunks for each ready time. */
    public static List<Chunk> layered(
            List<Long> layerReadyNanos, int chunksPerLayer, long chunkPayloadBytes, long chunkTransferNanos) {
        List<Chunk> chunks = new ArrayList<>();
        for (long readyNanos : layerReadyNanos) {
            for (int i = 0; i < chunksPerLayer; i++) {
                chunks.add(new Chunk(chunkPayloadBytes, readyNanos, chunkTransferNanos));
            }
        }
        return chunks;
    }

    /**
     * Each chunk leaves as early as the gates allow.
     *
     * @throws IllegalArgumentException when there is no chunk, or one exceeds the credit window and could never leave
     */
    public static TransferSchedule streamed(List<Chunk> chunks, Path path) {
        if (chunks.isEmpty()) {
            throw new IllegalArgumentException("a schedule needs at least one chunk");
        }
        ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
        List<ChunkSlot> slots = new ArrayList<>();
        long inFlightBytes = 0;
        long linkFreeNanos = 0;
        long finalReadyNanos = 0;
        for (Chunk chunk : chunks) {
            if (chunk.payloadBytes() > path.creditWindowBytes()) {
                throw new IllegalArgumentException("chunk of " + chunk.payloadBytes()
                        + " bytes exceeds the credit window of " + path.creditWindowBytes());
            }
            long startNanos = Math.max(linkFreeNanos, chunk.readyNanos());
            while (inFlightBytes > path.creditWindowBytes() - chunk.payloadBytes()) {
                InFlight oldest = inFlight.remove();
                inFlightBytes -= oldest.payloadBytes();
                startNanos = Math.max(startNanos, oldest.visibleNanos());
            }
            linkFreeNanos = startNanos + chunk.transferNanos();
            long visibleNanos = linkFreeNanos + path.deviceCopyNanos();
            inFlight.add(new InFlight(chunk.payloadBytes(), visibleNanos));
            inFlightBytes += chunk.payloadBytes();
            slots.add(new ChunkSlot(startNanos, linkFreeNanos, visibleNanos));
            finalReadyNanos = Math.max(finalReadyNanos, chunk.readyNanos());
        }
        long validatedNanos = slots.getLast().visibleNanos() + path.validationNanos();
        return new TransferSchedule(slots, finalReadyNanos, validatedNanos, validatedNanos + path.publicationNanos());
    }

    /** The schedule that waits for the whole prompt before the first send. */
    public static TransferSchedule requestLevel(List<Chunk> chunks, Path path) {
        long lastReadyNanos = chunks.stream().mapToLong(Chunk::readyNanos).max().orElse(0);
        return streamed(
                chunks.stream()
                        .map(c -> new Chunk(c.payloadBytes(), lastReadyNanos, c.transferNanos()))
                        .toList(),
                path);
    }

    public List<Long> visibleNanos() {
        return chunks.stream().map(ChunkSlot::visibleNanos).toList();
    }

    public long allVisibleNanos() {
        return chunks.stream().mapToLong(ChunkSlot::visibleNanos).max().orElseThrow();
    }

    /** Link and copy time hidden behind prefill, which computes until the last K/V is ready. */
    public OverlapLedger overlap() {
        List<Span> transfers = chunks.stream()
                .map(c -> new Span(c.startNanos(), c.visibleNanos()))
                .toList();
        return OverlapLedger.of(transfers, new Span(0, finalReadyNanos));
    }

    /** {@code max(0, t_publishEnd - t_decodeReady)} of §0x0F. */
    public long exposedStallNanos(long decodeReadyNanos) {
        return Math.max(0, publishedNanos - decodeReadyNanos);
    }

    private record InFlight(long payloadBytes, long visibleNanos) {}
}
