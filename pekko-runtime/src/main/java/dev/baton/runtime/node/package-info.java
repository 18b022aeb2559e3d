/**
 * One process of the cluster, from configuration to coordinated shutdown. A node starts its actor system, opens the journal
 * when it holds request entities, starts its workers, binds HTTP when it serves clients, sends a probe request through a real
 * handoff, and only then calls itself ready. Closing goes the other way: stop routes, drain, leave, release.
 */
@NullMarked
package dev.baton.runtime.node;

import org.jspecify.annotations.NullMarked;
