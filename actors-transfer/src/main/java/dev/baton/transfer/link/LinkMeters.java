package dev.baton.transfer.link;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The counters behind {@link LinkCounters}: written by the agent, read by anyone. */
final class LinkMeters {
    private final LongAdder[] refused = new LongAdder[LinkRefusal.values().length];
    final LongAdder chunksReceived = new LongAdder();
    final LongAdder duplicateChunks = new LongAdder();
    final LongAdder payloadBytesReceived = new LongAdder();
    final LongAdder chunksSent = new LongAdder();
    final LongAdder wireBytesSent = new LongAdder();
    final LongAdder backPressuredOffers = new LongAdder();
    final AtomicLong expectedTransfers = new AtomicLong();
    final AtomicLong pendingChunks = new AtomicLong();

    LinkMeters() {
        for (LinkRefusal reason : LinkRefusal.values()) {
            refused[reason.ordinal()] = new LongAdder();
        }
    }

    void refused(LinkRefusal reason) {
        refused[reason.ordinal()].increment();
    }

    LinkCounters sample() {
        Map<LinkRefusal, Long> sums = new EnumMap<>(LinkRefusal.class);
        for (LinkRefusal reason : LinkRefusal.values()) {
            sums.put(reason, refused[reason.ordinal()].sum());
        }
        return new LinkCounters(
                sums,
                chunksReceived.sum(),
                duplicateChunks.sum(),
                payloadBytesReceived.sum(),
                chunksSent.sum(),
                wireBytesSent.sum(),
                backPressuredOffers.sum(),
                expectedTransfers.get(),
                pendingChunks.get());
    }
}
