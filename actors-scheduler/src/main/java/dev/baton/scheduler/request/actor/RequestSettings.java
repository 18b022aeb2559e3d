package dev.baton.scheduler.request.actor;

import dev.baton.scheduler.request.RequestLimits;
import java.time.Duration;

/**
 * Configuration of request entities.
 *
 * @param passivateAfter an ended request leaves memory this long after its end and its last reader
 * @param maxParkedPulls readers waiting at once; one more, and the oldest is answered empty
 * @param maxPullWait longest wait of one pull, whatever it asks for
 * @param maxTraceRecords transition records kept per request; later commentary is counted, not kept
 */
public record RequestSettings(
        RequestLimits limits, Duration passivateAfter, int maxParkedPulls, Duration maxPullWait, int maxTraceRecords) {

    public static RequestSettings defaults() {
        return new RequestSettings(RequestLimits.defaults(), Duration.ofSeconds(60), 8, Duration.ofSeconds(60), 4096);
    }
}
