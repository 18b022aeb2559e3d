package dev.baton.scheduler.mls.actor;

/** Told by the loop's thread; must not block. */
public interface LoopObserver {
    /** One iteration ran. */
    void iterated(int prefillRows, int decodeRows, long durationNanos);

    /** A bug stopped the loop. The worker must be fenced: nothing it computes or holds may be used any more. */
    void stopped(Throwable bug);
}
