package dev.baton.kernels.model;

/** What a tensor does in a Llama-architecture model. Matrices are {@code [outputs][inputs]}, row-major. */
public enum TensorRole {
    /** {@code [vocabulary][d]}. */
    TOKEN_EMBEDDING(false),
    /** {@code [d]}, per layer. */
    ATTENTION_NORM(true),
    /** {@code [heads * headDim][d]}, per layer. */
    QUERY(true),
    /** {@code [kvHeads * headDim][d]}, per layer. */
    KEY(true),
    /** {@code [kvHeads * headDim][d]}, per layer. */
    VALUE(true),
    /** {@code [d][heads * headDim]}, per layer. */
    ATTENTION_OUTPUT(true),
    /** {@code [d]}, per layer. */
    FFN_NORM(true),
    /** {@code [ffn][d]}, per layer. */
    FFN_GATE(true),
    /** {@code [ffn][d]}, per layer. */
    FFN_UP(true),
    /** {@code [d][ffn]}, per layer. */
    FFN_DOWN(true),
    /** {@code [d]}. */
    OUTPUT_NORM(false),
    /** {@code [vocabulary][d]}; the token embedding again where the model ties them. */
    OUTPUT(false);

    private final boolean perLayer;

    TensorRole(boolean perLayer) {
        this.perLayer = perLayer;
    }

    public boolean perLayer() {
        return perLayer;
    }
}
