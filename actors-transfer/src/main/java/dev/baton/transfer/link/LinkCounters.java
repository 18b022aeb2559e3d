package dev.baton.transfer.link;

import java.util.Map;

/**
 * A sample for metrics; fields were read one after the other.
 *
 * @param refused by reason, every reason present
 * @param payloadBytesReceived payload bytes of chunks received and verified
 * @param wireBytesSent header and payload bytes handed to the transport
 * @param expectedTransfers transfers expected now
 * @param pendingChunks chunks that wait for the transport now
 */
public record LinkCounters(
        Map<LinkRefusal, Long> refused,
        long chunksReceived,
        long duplicateChunks,
        long payloadBytesReceived,
        long chunksSent,
        long wireBytesSent,
        long backPressuredOffers,
        long expectedTransfers,
        long pendingChunks) {

    public LinkCounters {
        refused = Map.copyOf(refused);
    }

    public long refused(LinkRefusal reason) {
        return refused.getOrDefault(reason, 0L);
    }

    public long refusedTotal() {
        return refused.values().stream().mapToLong(Long::longValue).sum();
    }
}
