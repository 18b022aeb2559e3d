package dev.baton.scheduler.mls.actor;

/** What a worker counts; the runtime gives it to a registry. Called from actor, loop and link threads; must not block. */
public interface WorkerMetrics {
    WorkerMetrics NONE = new WorkerMetrics() {};

    /** A machine refused an event. */
    default void refused(String machine, Enum<?> reason) {}

    /** A leg was refused before it began. */
    default void legRefused(String leg, Enum<?> reason) {}

    /** A message for a leg that this worker does not know (late), or whose fence is wrong in one field. */
    default void stale(String leg, String message) {}

    /** A handoff was published. */
    default void published(long logicalKvBytes, long payloadBytes, long durationNanos, long exposedStallNanos) {}

    /** A transfer ended without publication. */
    default void transferAborted(String cause) {}

    /** Tokens that left the sampler. */
    default void tokensSampled(int count) {}

    default void iteration(int prefillRows, int decodeRows, long durationNanos) {}

    default void prefilled(long promptTokens, long queuedNanos, long computedNanos) {}
}
