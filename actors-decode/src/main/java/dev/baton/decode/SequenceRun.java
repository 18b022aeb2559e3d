package dev.baton.decode;

import dev.baton.kernels.sampling.Sampler;
import dev.baton.kernels.sampling.SamplingException;
import dev.baton.kernels.sampling.TokenHistory;
import dev.baton.scheduler.kv.BlockMemory;
import dev.baton.scheduler.mls.actor.DecodeWork;
import dev.baton.scheduler.mls.actor.LegTokens;
import java.lang.foreign.MemorySegment;

/**
 * One choice on the loop. Ends by itself after a stop token, at {@code maxTokens}, or where the block table ends. Where its
 * prompt ends inside a block, a choice other than the first begins by copying that block, because it will write into it.
 */
public final class SequenceRun implements DecodeWork {

    /** Told on the loop's thread; must not block. */
    public interface Listener {
        void sampled(int choice, int index, int token);

        void unsamplable(int choice, String reason);

        /** The loop does not touch the choice's blocks any more. */
        void left(int choice);

        void failed(int choice, Throwable bug);
    }

    /** A block to copy before the first row. */
    public record TailCopy(int from, int to) {}

    private final long id;
    private final int choice;
    private final LegTokens tokens;
    private final BlockTable blocks;
    private final Sampler sampler;
    private final TokenHistory history;
    private final BlockMemory memory;
    private final Listener listener;
    private int nextToken;
    private int nextPosition;

    /**
     * @param blocks of this choice's whole trajectory
     * @param firstToken sampled where prefill ended
     */
    SequenceRun(
            long id,
            int choice,
            LegTokens tokens,
            BlockTable blocks,
            int firstToken,
            int vocabulary,
            BlockMemory memory,
            Listener listener) {
        this.id = id;
        this.choice = choice;
        this.tokens = tokens;
        this.blocks = blocks;
        this.sampler = new Sampler(tokens.spec().sampling(), tokens.stream(choice), vocabulary);
        this.history = TokenHistory.of(tokens.promptIds(), tokens.givenIds());
        this.history.append(firstToken);
        this.memory = memory;
        this.listener = listener;
        this.nextToken = firstToken;
        this.nextPosition = tokens.count();
    }

    /** Whether a choice has anything to do after {@code token} at {@code index}. */
    static boolean goesOn(LegTokens tokens, int index, int token) {
        return index + 1 < tokens.spec().maxTokens()
                && !tokens.spec().stopTokens().contains(token);
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public int[] blockTable() {
        return blocks.ids();
    }

    @Override
    public void begin() {
        blocks.tailCopy().ifPresent(copy -> memory.copy(copy.from(), copy.to()));
    }

    @Override
    public int nextToken() {
        return nextToken;
    }

    @Override
    public int nextPosition() {
        return nextPosition;
    }

    @Override
    public boolean advance(MemorySegment logits) {
        int index = history.answerTokens();
        int token;
        try {
            token = sampler.sample(logits, history, index);
        } catch (SamplingException e) {
            listener.unsamplable(choice, e.field());
            return false;
        }
        history.append(token);
        listener.sampled(choice, index, token);
        nextToken = token;
        nextPosition++;
        return goesOn(tokens, index, token);
    }

    @Override
    public void removed() {
        listener.left(choice);
    }

    @Override
    public void failed(Throwable bug) {
        listener.failed(choice, bug);
    }
}
