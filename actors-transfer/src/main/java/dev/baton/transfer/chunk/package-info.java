/**
 * One chunk: declared by the plan, given credit, sent, received into staging, visible to the device; its credit returns there.
 * A failed chunk keeps its credit until the transport is quiescent. The chunks of one transfer live in one compact set.
 */
@NullMarked
package dev.baton.transfer.chunk;

import org.jspecify.annotations.NullMarked;
