package dev.baton.contract.tensor;

/** Order of the axes of a K/V arena, outermost first. */
public enum AxisOrder {
    LAYER_BLOCK_KV_HEAD_SLOT_DIM
}
