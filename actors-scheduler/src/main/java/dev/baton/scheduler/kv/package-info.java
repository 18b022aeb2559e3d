/**
 * Who holds which block of a worker's K/V arena. A reservation takes all blocks of a trajectory at once (prompt, and growth
 * of every choice), so a running decode never waits for memory. Choices share full prompt blocks by reference count. A block
 * is free again when its last holder gives it back, and not before: an owner gives back only what neither the iteration loop
 * nor the transport touches any more.
 */
@NullMarked
package dev.baton.scheduler.kv;

import org.jspecify.annotations.NullMarked;
