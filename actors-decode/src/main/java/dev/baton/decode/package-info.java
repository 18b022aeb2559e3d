/**
 * The decode side of one leg. Blocks for every choice's whole trajectory are reserved before anything else; the leg waits
 * until the complete K/V is published (or computed here), runs one sequence per choice, hands tokens to the request entity in
 * batches of which one per choice may be unacknowledged, and drains when the request lets go: sequences leave the loop first,
 * blocks are free after.
 */
@NullMarked
package dev.baton.decode;

import org.jspecify.annotations.NullMarked;
