package dev.baton.contract.tensor;

/** Scalar of a K/V element. */
public enum ElementType {
    F32(4),
    F16(2),
    BF16(2);

    private final int bytes;

    ElementType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }
}
