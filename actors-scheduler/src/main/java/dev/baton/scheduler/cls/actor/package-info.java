/** The shell of the cluster-level scheduler: a sharded entity that hears reports and membership, and answers request entities. */
@NullMarked
package dev.baton.scheduler.cls.actor;

import org.jspecify.annotations.NullMarked;
