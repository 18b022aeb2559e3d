package dev.baton.transfer.source;

import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.source.SourceTransfer.Event;
import dev.baton.transfer.source.SourceTransfer.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The producer gate of §0x06C: no chunk starts before the K/V of exactly its layer and token interval exists. */
final class ProducerGate {
    private ProducerGate() {}

    static Optional<Refusal> refusal(ChunkPlan plan, Event.KvReady ready) {
        if (ready.layer() < 0 || ready.layer() >= plan.layers()) {
            return Optional.of(Refusal.UNKNOWN_LAYER);
        }
        return ready.tokensReadyUpTo() > plan.tokens().end()
                ? Optional.of(Refusal.READY_BEYOND_INTERVAL)
                : Optional.empty();
    }

    static boolean isOpen(ChunkSpec chunk, ReadyTokens ready) {
        return chunk.tokens().end() <= ready.upTo(chunk.layer());
    }

    /** Chunks of {@code layer} whose gate opens when its K/V grows from {@code before} to {@code now}, in token order. */
    static List<ChunkSpec> opened(ChunkPlan plan, int layer, int before, int now) {
        int chunksPerLayer = plan.count() / plan.layers();
        List<ChunkSpec> opened = new ArrayList<>();
        for (int index = layer * chunksPerLayer; index < (layer + 1) * chunksPerLayer; index++) {
            ChunkSpec chunk = plan.chunk(index);
            if (chunk.tokens().end() > before && chunk.tokens().end() <= now) {
                opened.add(chunk);
            }
        }
        return opened;
    }
}
