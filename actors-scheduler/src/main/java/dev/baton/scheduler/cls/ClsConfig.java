package dev.baton.scheduler.cls;

import java.time.Duration;

/**
 * Numbers of the cluster-level scheduler.
 *
 * @param maxWaiting most requests that wait for capacity; more are refused
 * @param reportTimeout a worker silent for this long gets nothing new
 * @param retryAfter hint to a refused client
 */
public record ClsConfig(int maxWaiting, Duration reportTimeout, Duration retryAfter) {}
