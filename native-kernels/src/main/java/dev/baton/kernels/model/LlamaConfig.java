package dev.baton.kernels.model;

/**
 * The shape of a Llama-architecture model.
 *
 * @param layers transformer blocks
 * @param dModel model width
 * @param ffnDim width of the gate and up projections
 * @param heads query heads
 * @param kvHeads key/value heads; divides {@code heads}
 * @param headDim width of one head, even
 * @param vocabulary tokens
 * @param contextTokens longest sequence the model was trained for
 * @param ropeTheta base of the rotary frequencies
 * @param ropeStyle which elements a rotation pairs
 * @param rmsEpsilon added to the mean square
 * @param tiedOutput whether logits use the token embedding
 */
public record LlamaConfig(
        int layers,
        int dModel,
        int ffnDim,
        int heads,
        int kvHeads,
        int headDim,
        int vocabulary,
        int contextTokens,
        float ropeTheta,
        RopeStyle ropeStyle,
        float rmsEpsilon,
        boolean tiedOutput) {}
