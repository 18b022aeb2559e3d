package dev.baton.scheduler.request;

import java.time.Duration;

/**
 * Bounds of one request. Every non-terminal state ends by one of these or by the request's own deadline.
 *
 * @param maxRetries generations after the first
 * @param maxRefusals refusals in one generation before the request fails
 * @param refusalBackoff rest before the next route ask, times the number of refusals but the first, at most a second
 * @param routeWait longest wait for a route
 * @param reask an unanswered ask is repeated after this: a scheduler that moved has forgotten it
 * @param reserve answer of the destination to a reservation
 * @param prefill from start of prefill to the first token, queueing included
 * @param publish from the first token to publication
 * @param silence longest time without a token while decoding
 */
public record RequestLimits(
        int maxRetries,
        int maxRefusals,
        Duration refusalBackoff,
        Duration routeWait,
        Duration reask,
        Duration reserve,
        Duration prefill,
        Duration publish,
        Duration silence) {

    public static RequestLimits defaults() {
        return new RequestLimits(
                3,
                64,
                Duration.ofMillis(50),
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ofSeconds(120),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60));
    }

    public RequestLimits withRetries(int retries, Duration wait) {
        return new RequestLimits(retries, maxRefusals, refusalBackoff, wait, reask, reserve, prefill, publish, silence);
    }
}
