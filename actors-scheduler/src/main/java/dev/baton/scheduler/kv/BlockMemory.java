package dev.baton.scheduler.kv;

/** The bytes behind block ids, in all layers. Called from the iteration loop's thread, ordered with its batches. */
public interface BlockMemory {
    /** Makes every byte of the block 0: slots that are sent but never computed must be the same everywhere and leak nothing. */
    void zero(int block);

    /** Copies every byte of {@code from} to {@code to}. */
    void copy(int from, int to);
}
