/**
 * The shell of a cluster-level scheduler: a sharded actor per model, without a journal. Reports and cluster events go in,
 * grants go out to request entities through sharding. It starts empty wherever it moves; workers report within a second.
 */
@NullMarked
package dev.baton.scheduler.cls.actor;

import org.jspecify.annotations.NullMarked;
