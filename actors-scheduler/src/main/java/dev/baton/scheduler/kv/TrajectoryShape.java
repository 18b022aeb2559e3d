package dev.baton.scheduler.kv;

/**
 * How many blocks a leg needs from its first prompt token to the last token of its last choice. Full prompt blocks are shared
 * by all choices; where the prompt ends inside a block, each choice writes into a copy of its own.
 *
 * @param promptTokens tokens to prefill
 * @param growthTokens most tokens that one choice may still produce
 * @param choices sequences
 * @param blockTokens tokens of a block
 */
public record TrajectoryShape(int promptTokens, int growthTokens, int choices, int blockTokens) {
    public TrajectoryShape {
        if (promptTokens <= 0 || growthTokens < 0 || choices <= 0 || blockTokens <= 0) {
            throw new IllegalArgumentException("promptTokens=" + promptTokens + " growthTokens=" + growthTokens
                    + " choices=" + choices + " blockTokens=" + blockTokens);
        }
    }

    /** Blocks that hold any prompt token. */
    public int promptBlocks() {
        return Math.ceilDiv(promptTokens, blockTokens);
    }

    /** Blocks that hold prompt tokens only, shared by all choices. */
    public int sharedBlocks() {
        return promptTokens / blockTokens;
    }

    public boolean hasTail() {
        return promptTokens % blockTokens != 0;
    }

    /** Blocks of one choice that no other reads. The last token's K/V is never written, because nothing follows it. */
    public int ownBlocks() {
        long rows = promptTokens + Math.max(0L, growthTokens - 1L);
        return Math.toIntExact(Math.ceilDiv(rows, (long) blockTokens)) - sharedBlocks();
    }

    public long totalBlocks() {
        return sharedBlocks() + (long) choices * ownBlocks();
    }
}
