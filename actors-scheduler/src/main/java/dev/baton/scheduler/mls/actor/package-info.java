/**
 * What runs on a worker's device. One thread, the iteration loop, owns the forward pass: it adopts new work, asks the
 * machine-level scheduler for the next iteration, runs prefill slices and decode rows as one batch layer by layer, tells each
 * slice when a layer's K/V is complete (so that it can leave while later layers run), samples, and reports. It parks when
 * nothing is to do. Each piece of work ends with exactly one {@code removed()} or {@code failed()}; only then may its blocks
 * change hands.
 */
@NullMarked
package dev.baton.scheduler.mls.actor;

import org.jspecify.annotations.NullMarked;
