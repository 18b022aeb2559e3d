package dev.baton.runtime.node;

import dev.baton.runtime.telemetry.Metrics;
import dev.baton.scheduler.mls.actor.WorkerMetrics;

/** What a worker counts. */
record WorkerMeter(Metrics metrics) implements WorkerMetrics {

    @Override
    public void refused(String machine, Enum<?> reason) {
        metrics.refusal(machine, reason);
    }

    @Override
    public void legRefused(String leg, Enum<?> reason) {
        metrics.refusal(leg, reason);
    }

    @Override
    public void published(long logicalKvBytes, long payloadBytes, long durationNanos, long exposedStallNanos) {
        metrics.published();
        metrics.transferBytes(logicalKvBytes, payloadBytes);
    }
}
