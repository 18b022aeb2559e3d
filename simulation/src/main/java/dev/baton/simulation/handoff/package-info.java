/**
 * Two attempts of one request's handoff, generation 1 and 2, between one source worker and one destination worker, explored
 * from a seed: control messages and chunks are lost, repeated and reordered, deadlines fire, requests are cancelled, workers
 * crash, quiescence does not come. The production machines run under the production host; everything around them is here.
 * After every step the invariants look at what really happened, not at what the machines believe.
 */
@NullMarked
package dev.baton.simulation.handoff;

import org.jspecify.annotations.NullMarked;
