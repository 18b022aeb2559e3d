package dev.baton.scheduler.mls.actor;

import dev.baton.kernels.sampling.Sampler;
import dev.baton.kernels.sampling.SamplingException;
import dev.baton.kernels.sampling.TokenHistory;
import dev.baton.scheduler.kv.BlockMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes a leg's prompt into its blocks and samples the first token of every choice, each with the random stream of its
 * choice. Both phases use it: the prefill side before a handoff, the decode side when it is served without one.
 */
public final class PromptRun implements PrefillWork {

    /** Told on the loop's thread; must not block. */
    public interface Listener {
        /** K and V of tokens below {@code tokensReady} are complete in {@code layer}. */
        void layerReady(int layer, int tokensReady);

        void firstTokens(List<Integer> tokens);

        /** The sampling rules leave no token to choose. */
        void unsamplable(String reason);

        /** The loop does not touch the blocks any more. */
        void ended();

        void failed(Throwable bug);
    }

    private final long id;
    private final LegTokens tokens;
    private final int[] blockTable;
    private final int blockTokens;
    private final int vocabulary;
    private final BlockMemory memory;
    private final Listener listener;

    /** @param blockTable at least the blocks of the prompt, in order */
    public PromptRun(
            long id,
            LegTokens tokens,
            List<Integer> blockTable,
            int blockTokens,
            int vocabulary,
            BlockMemory memory,
            Listener listener) {
        this.id = id;
        this.tokens = tokens;
        this.blockTable = blockTable.stream().mapToInt(Integer::intValue).toArray();
        this.blockTokens = blockTokens;
        this.vocabulary = vocabulary;
        this.memory = memory;
        this.listener = listener;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public int[] blockTable() {
        return blockTable;
    }

    @Override
    public int tokenCount() {
        return tokens.count();
    }

    @Override
    public int token(int position) {
        return tokens.all().get(position);
    }

    @Override
    public void begin() {
        if (tokens.count() % blockTokens != 0) {
            memory.zero(blockTable[tokens.count() / blockTokens]);
        }
    }

    @Override
    public void layerReady(int layer, int tokensReady) {
        listener.layerReady(layer, tokensReady);
    }

    @Override
    public void promptComputed(MemorySegment logits) {
        try {
            TokenHistory history = TokenHistory.of(tokens.promptIds(), tokens.givenIds());
            List<Integer> first = new ArrayList<>(tokens.choices());
            for (int choice = 0; choice < tokens.choices(); choice++) {
                Sampler sampler = new Sampler(tokens.spec().sampling(), tokens.stream(choice), vocabulary);
                first.add(sampler.sample(logits, history, tokens.firstTokenIndex()));
            }
            listener.firstTokens(first);
        } catch (SamplingException e) {
            // The request's own rules or its numbers are at fault: this leg fails, the loop lives on.
            listener.unsamplable(e.field());
        }
    }

    @Override
    public void removed() {
        listener.ended();
    }

    @Override
    public void failed(Throwable bug) {
        listener.failed(bug);
    }
}
