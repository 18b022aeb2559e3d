package dev.baton.kernels.arena;

/** Element format of the K/V arena. */
public enum KvType {
    F32(4),
    /** Rounded to nearest even on write. */
    F16(2);

    private final int elementBytes;

    KvType(int elementBytes) {
        this.elementBytes = elementBytes;
    }

    public int elementBytes() {
        return elementBytes;
    }
}
