package dev.baton.kernels.model.gguf;

/** Token types of GGUF vocabularies. */
public enum TokenType {
    NORMAL(1),
    /** Stands for text that has no token. */
    UNKNOWN(2),
    /** Steers the model; never in ordinary text. */
    CONTROL(3),
    /** Always found whole in text. */
    USER_DEFINED(4),
    UNUSED(5),
    /** One byte, written {@code <0x0A>}. */
    BYTE(6);

    private final int code;

    TokenType(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Codes that no specification names count as NORMAL, as in other engines. */
    public static TokenType of(int code) {
        return code >= 1 && code <= 6 ? values()[code - 1] : NORMAL;
    }
}
