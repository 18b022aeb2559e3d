package dev.baton.scheduler.mls.actor;

import java.lang.foreign.MemorySegment;

/** One sequence that grows by a token per iteration. */
public non-sealed interface DecodeWork extends LoopWork {
    /** The token of the next row. */
    int nextToken();

    /** Its position, whose slot in the block table is written by the row. */
    int nextPosition();

    /**
     * Samples the token that follows {@link #nextToken()}.
     *
     * @param logits of this sequence's row, valid during the call
     * @return whether the sequence wants another row
     */
    boolean advance(MemorySegment logits);
}
