package dev.baton.kernels.model.gguf;

import org.jspecify.annotations.Nullable;

/** Value types of GGUF metadata, in the order of their codes in the specification. */
public enum GgufValueType {
    UINT8(1),
    INT8(1),
    UINT16(2),
    INT16(2),
    UINT32(4),
    INT32(4),
    FLOAT32(4),
    BOOL(1),
    /** 64-bit byte length, then UTF-8. */
    STRING(8),
    /** 32-bit element type, 64-bit count, then the elements. */
    ARRAY(12),
    UINT64(8),
    INT64(8),
    FLOAT64(8);

    private static final GgufValueType[] BY_CODE = values();

    private final int minimumBytes;

    GgufValueType(int minimumBytes) {
        this.minimumBytes = minimumBytes;
    }

    /** The fewest bytes one value takes in a file; exact for scalars. */
    int minimumBytes() {
        return minimumBytes;
    }

    boolean isScalar() {
        return this != STRING && this != ARRAY;
    }

    static @Nullable GgufValueType of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    int code() {
        return ordinal();
    }
}
