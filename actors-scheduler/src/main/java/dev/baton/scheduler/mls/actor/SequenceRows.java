package dev.baton.scheduler.mls.actor;

/**
 * Consecutive rows of one sequence in a batch. Not copied: the loop leaves the arrays alone until the batch is done.
 *
 * @param tokens one id per row
 * @param firstPosition position of the first row
 * @param blockTable arena block ids by position
 * @param wantsLogits whether the last row's logits are needed
 */
@SuppressWarnings("ArrayRecordComponent")
public record SequenceRows(int[] tokens, int firstPosition, int[] blockTable, boolean wantsLogits) {
    public int endPosition() {
        return firstPosition + tokens.length;
    }
}
