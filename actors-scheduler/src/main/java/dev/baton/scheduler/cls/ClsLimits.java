package dev.baton.scheduler.cls;

import java.time.Duration;

/**
 * Bounds of a cluster-level scheduler.
 *
 * @param maxWaiting asks waiting for capacity; more are refused
 * @param reportTimeout a worker silent for longer gets nothing new
 * @param retryAfter hint with refusals for want of capacity
 */
public record ClsLimits(int maxWaiting, Duration reportTimeout, Duration retryAfter) {
    public static ClsLimits defaults() {
        return new ClsLimits(4096, Duration.ofSeconds(5), Duration.ofSeconds(1));
    }
}
