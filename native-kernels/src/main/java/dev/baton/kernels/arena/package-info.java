/**
 * The paged K/V arena of a device: {@code [layer][block][K|V][kv head][slot in block][head dim]}. Created once per worker,
 * mapped lazily, zero at first. The forward pass writes K/V into the blocks that a batch's tables name; the data plane reads
 * and writes the same memory through {@link dev.baton.kernels.arena.KvArena#segment()}: one layer of a run of blocks is one
 * contiguous range. Who owns which block is the ledger's business, above this package.
 */
@NullMarked
package dev.baton.kernels.arena;

import org.jspecify.annotations.NullMarked;
