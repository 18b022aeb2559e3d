package dev.baton.contract.ledger;

/**
 * The bounded transformer-block model of §0x02A: matrix and attention work of L layers, a multiply-add counted as two FLOPs.
 * Normalization, embeddings, sampling and the vocabulary head are outside of it.
 *
 * @param layers L
 * @param width d, the model width
 * @param feedForwardWidth d_ff of the three-matrix SwiGLU MLP
 * @param queryHeads H_q
 * @param kvHeads H_kv
 * @param headDim d_h
 * @param weightScalarBytes bytes of one weight
 * @param kScalarBytes b_K
 * @param vScalarBytes b_V
 */
public record PhaseCost(
        int layers,
        int width,
        int feedForwardWidth,
        int queryHeads,
        int kvHeads,
        int headDim,
        int weightScalarBytes,
        int kScalarBytes,
        int vScalarBytes) {

    public PhaseCost {
        requirePositive("layers", layers);
        requirePositive("width", width);
        requirePositive("feedForwardWidth", feedForwardWidth);
        requirePositive("queryHeads", queryHeads);
        requirePositive("kvHeads", kvHeads);
        requirePositive("headDim", headDim);
        requirePositive("weightScalarBytes", weightScalarBytes);
        requirePositive("kScalarBytes", kScalarBytes);
        requirePositive("vScalarBytes", vScalarBytes);
    }

    /** {@code P_layer = d(H_q d_h) + 2d(H_kv d_h) + (H_q d_h)d + 3 d d_ff}. */
    public long layerParameters() {
        long attentionWidth = (long) queryHeads * headDim;
        long kvWidth = (long) kvHeads * headDim;
        return width * attentionWidth + 2L * width * kvWidth + attentionWidth * width + 3L * width * feedForwardWidth;
    }

    /** Bytes of all L layers' weights: what one iteration must read once. */
    public long weightBytes() {
        return layers * layerParameters() * weightScalarBytes;
    }

    /** {@code F_linear(N) = 2 L N P_layer}. */
    public long linearFlops(long newRows) {
        return Math.multiplyExact(2L * layers * newRows, layerParameters());
    }

    /** {@code F_attn(A) = 4 L H_q d_h A}: QK-transpose and probability-times-V. */
    public long attentionFlops(long causalPairs) {
        return Math.multiplyExact(4L * layers * queryHeads * headDim, causalPairs);
    }

    /** {@code B_KV/token = L H_kv d_h (b_K + b_V)}. */
    public long kvTokenBytes() {
        return (long) layers * kvHeads * headDim * (kScalarBytes + vScalarBytes);
    }

    /** {@code A_P = N_P T_0 + N_P (N_P + 1) / 2}: query-key pairs per head of new rows after an already visible prefix. */
    public static long prefillCausalPairs(long newRows, long visibleRows) {
        return newRows * visibleRows + newRows * (newRows + 1) / 2;
    }

    /** {@code A_D = sum of s_i}, where s_i counts what row i sees, itself included. */
    public static long decodeCausalPairs(long... visibleLengths) {
        long pairs = 0;
        for (long length : visibleLengths) {
            if (length < 1) {
                throw new IllegalArgumentException("a decode row sees at least itself, found length " + length);
            }
            pairs = Math.addExact(pairs, length);
        }
        return pairs;
    }

    /** Work of one prefill of {@code newRows} rows after {@code visibleRows} reused ones; visible state is read once. */
    public WorkVector prefill(long newRows, long visibleRows) {
        long pairs = prefillCausalPairs(newRows, visibleRows);
        return work(newRows, pairs, (visibleRows + newRows) * kvTokenBytes());
    }

    /** Work of one decode iteration, one new row per entry. */
    public WorkVector decode(long... visibleLengths) {
        long pairs = decodeCausalPairs(visibleLengths);
        return work(visibleLengths.length, pairs, pairs * kvTokenBytes());
    }

    private WorkVector work(long newRows, long pairs, long kvReadBytes) {
        return new WorkVector(
                linearFlops(newRows) + attentionFlops(pairs),
                weightBytes(),
                kvReadBytes,
                newRows * kvTokenBytes(),
                pairs,
                newRows);
    }

    private static void requirePositive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException("PhaseCost." + name + " must be positive, found " + value);
        }
    }
}
