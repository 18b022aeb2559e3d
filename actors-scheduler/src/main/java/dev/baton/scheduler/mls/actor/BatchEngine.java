package dev.baton.scheduler.mls.actor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The device as the loop sees it: one batch at a time, layer by layer. Called from the loop's thread only. Every method
 * throws when the device reports an error; there is no way to go on after that.
 */
public interface BatchEngine extends AutoCloseable {
    int layers();

    /** Most rows of one batch. */
    int maxRows();

    /** Takes over the rows of one iteration and embeds them. */
    void begin(List<SequenceRows> sequences);

    /** Runs one layer; on return its K and V of this batch can be read by other threads. */
    void layer(int layer);

    /** Computes logits of the last row of each sequence that asked for them. */
    void finish();

    /** f32 logits in native order of the {@code index}-th sequence of the batch, which asked for them; valid until the next {@link #begin}. */
    MemorySegment logits(int index);

    @Override
    void close();
}
