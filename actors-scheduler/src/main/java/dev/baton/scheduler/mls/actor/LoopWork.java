package dev.baton.scheduler.mls.actor;

/**
 * Something the iteration loop runs. All methods are called on the loop's thread and must not block; an exception from any of
 * them is a bug and stops the loop.
 *
 * <p>Life: {@link #begin()} once, before the first row; the methods of the kind of work; at last exactly one of
 * {@link #removed()} and {@link #failed(Throwable)}, after which the loop neither reads nor writes the work's blocks.
 */
public sealed interface LoopWork permits PrefillWork, DecodeWork {
    /** Unique in the life of the loop. */
    long id();

    /** Arena block ids by position: token {@code p} lives in {@code blockTable()[p / blockTokens]}. */
    int[] blockTable();

    /** Prepares the work's blocks (zero a tail, copy a shared block). */
    void begin();

    /** The loop is done with the work: it ended by itself or was removed. */
    void removed();

    /** The loop stopped because of a bug. What the device did with the blocks is unknown; they are not handed on. */
    void failed(Throwable bug);
}
