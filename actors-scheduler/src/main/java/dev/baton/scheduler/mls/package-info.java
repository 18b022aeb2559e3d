/**
 * The machine-level scheduler: what one worker runs in its next iteration. A pure queue of prefill work (first come, first
 * served, under a token budget) and a set of running decodes; the iteration loop asks it for a plan and reports completion.
 */
@NullMarked
package dev.baton.scheduler.mls;

import org.jspecify.annotations.NullMarked;
