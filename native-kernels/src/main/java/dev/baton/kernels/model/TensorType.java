package dev.baton.kernels.model;

/** Element formats a tensor may have. A row is a whole number of blocks; sizes are those of the GGUF specification. */
public enum TensorType {
    F32(1, 4),
    F16(1, 2),
    BF16(1, 2),
    /** 32 signed bytes and one f16 scale. */
    Q8_0(32, 34),
    /** 32 nibbles (value minus 8) and one f16 scale; low nibbles are elements 0..15. */
    Q4_0(32, 18);

    private final int blockElements;
    private final int blockBytes;

    TensorType(int blockElements, int blockBytes) {
        this.blockElements = blockElements;
        this.blockBytes = blockBytes;
    }

    public int blockElements() {
        return blockElements;
    }

    public int blockBytes() {
        return blockBytes;
    }

    /** Bytes of one row of {@code elements}; the caller has checked that it is a whole number of blocks. */
    public long rowBytes(long elements) {
        return elements / blockElements * blockBytes;
    }
}
