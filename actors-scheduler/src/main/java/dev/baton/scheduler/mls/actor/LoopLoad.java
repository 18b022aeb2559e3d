package dev.baton.scheduler.mls.actor;

/**
 * What the loop has to do.
 *
 * @param pendingPrefillTokens prompt tokens accepted and not computed yet
 * @param runningDecodes sequences that grow
 */
public record LoopLoad(long pendingPrefillTokens, int runningDecodes) {}
