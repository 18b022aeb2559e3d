package dev.baton.scheduler.request;

/**
 * What the request consumed and how long it took, as the client saw it.
 *
 * @param promptTokens counted once, whatever {@code n}
 * @param completionTokens over all choices
 * @param ttftNanos admission to first token; 0 while there is none
 * @param exposedStallNanos §0x0F: publication end minus decode ready, not below 0; 0 without a handoff
 */
public record Usage(long promptTokens, long completionTokens, long ttftNanos, long exposedStallNanos) {}
