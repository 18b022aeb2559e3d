package dev.baton.scheduler.mls.actor;

import java.lang.foreign.MemorySegment;

/** A prompt to compute: positions {@code 0 .. tokenCount()-1}, in slices as the plan says. */
public non-sealed interface PrefillWork extends LoopWork {
    int tokenCount();

    int token(int position);

    /**
     * K and V of positions below {@code tokensReady} are complete in {@code layer} and may be read by anyone until the blocks
     * change hands. Called once per layer and slice, layers ascending within a slice.
     */
    void layerReady(int layer, int tokensReady);

    /** @param logits of the last position, valid during the call */
    void promptComputed(MemorySegment logits);
}
