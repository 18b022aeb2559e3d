/**
 * Assembles one worker: device, model, arena, block pool, iteration loop, data plane, and the actors of both legs. The worker
 * actor reports the load to the cluster-level scheduler and tells the legs when a peer left the cluster.
 */
@NullMarked
package dev.baton.runtime.worker;

import org.jspecify.annotations.NullMarked;
