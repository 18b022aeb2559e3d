package dev.baton.kernels.arena;

import dev.baton.kernels.model.LlamaConfig;

/**
 * Shape of an arena.
 *
 * @param layers of the model
 * @param blocks blocks per layer; block ids are 0 to {@code blocks - 1}
 * @param kvHeads of the model
 * @param blockTokens slots of one block
 * @param headDim of the model
 * @param type element format
 */
public record ArenaShape(int layers, int blocks, int kvHeads, int blockTokens, int headDim, KvType type) {
    public static final int DEFAULT_BLOCK_TOKENS = 16;

    /** The shape for a model: F32, blocks of 16 tokens. */
    public static ArenaShape of(LlamaConfig config, int blocks) {
        return new ArenaShape(
                config.layers(), blocks, config.kvHeads(), DEFAULT_BLOCK_TOKENS, config.headDim(), KvType.F32);
    }

    /** K and V of one block in one layer, in bytes. */
    public long layerBlockBytes() {
        return 2L * kvHeads * blockTokens * headDim * type.elementBytes();
    }

    public long totalBytes() {
        return Math.multiplyExact(layerBlockBytes(), Math.multiplyExact((long) layers, (long) blocks));
    }

    /** Where K of a layer's block starts; V follows at half of {@link #layerBlockBytes()}. */
    public long offsetBytes(int layer, int block) {
        if (layer < 0 || layer >= layers || block < 0 || block >= blocks) {
            throw new IndexOutOfBoundsException(
                    "layer " + layer + " block " + block + " outside " + layers + " layers of " + blocks + " blocks");
        }
        return ((long) layer * blocks + block) * layerBlockBytes();
    }
}
