package dev.baton.kernels.model;

/** Which two elements of a head one rotation pairs. */
public enum RopeStyle {
    /** Elements 2i and 2i+1: GGUF files of architecture {@code llama}. */
    INTERLEAVED,
    /** Elements i and i + headDim/2: Hugging Face files. */
    ROTATE_HALF
}
