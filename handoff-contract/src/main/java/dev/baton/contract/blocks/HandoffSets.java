package dev.baton.contract.blocks;

import dev.baton.contract.tensor.TensorAbi;

/**
 * The sets of §0x01A for one prompt universe: what the prefill worker computes is {@code U \ R_P}, what must become visible
 * at the destination is {@code U \ V_D}.
 *
 * @param universe all blocks of the prompt
 * @param computeSet absent from the chosen prefill worker
 * @param transferSet absent from the destination's visible exact state
 */
public record HandoffSets(BlockSet universe, BlockSet computeSet, BlockSet transferSet) {

    /**
     * @param promptBlocks blocks of the prompt
     * @param reusableAtSource exact state the prefill worker already holds (R_P)
     * @param visibleAtDestination exact state the decode destination already sees (V_D)
     */
    public static HandoffSets of(int promptBlocks, BlockSet reusableAtSource, BlockSet visibleAtDestination) {
        BlockSet universe = BlockSet.range(0, promptBlocks);
        return new HandoffSets(universe, universe.minus(reusableAtSource), universe.minus(visibleAtDestination));
    }

    /** {@code M = |X| * B_block * L * 2 * H_kv * d_h * b}: whole blocks, so padding of a partial last block is included. */
    public long transferBlockBytes(TensorAbi abi) {
        return transferSet.count() * abi.layerBlockBytes() * abi.layers();
    }
}
