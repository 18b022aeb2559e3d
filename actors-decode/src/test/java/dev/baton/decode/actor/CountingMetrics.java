package dev.baton.decode.actor;

import dev.baton.scheduler.mls.actor.WorkerMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts by name. */
final class CountingMetrics implements WorkerMetrics {
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    int count(String name) {
        return counts.getOrDefault(name, 0);
    }

    @Override
    public void refused(String machine, Enum<?> reason) {
        counts.merge(machine + ' ' + reason, 1, Integer::sum);
    }

    @Override
    public void legRefused(String leg, Enum<?> reason) {
        counts.merge(leg + ' ' + reason, 1, Integer::sum);
    }

    @Override
    public void stale(String leg, String message) {
        counts.merge(leg + " stale " + message, 1, Integer::sum);
    }

    @Override
    public void published(long logicalKvBytes, long payloadBytes, long durationNanos, long exposedStallNanos) {
        counts.merge("published", 1, Integer::sum);
    }

    @Override
    public void transferAborted(String cause) {
        counts.merge("aborted " + cause, 1, Integer::sum);
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
