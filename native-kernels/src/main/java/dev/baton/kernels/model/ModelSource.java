package dev.baton.kernels.model;

/** Where weights come from: a file reader or the synthetic generator. The device asks for each tensor once, in any order. */
public interface ModelSource {

    LlamaConfig config();

    /**
     * @param layer 0-based for per-layer roles, 0 otherwise
     * @return the tensor, its shape already checked against {@link #config()}
     */
    Tensor tensor(TensorRole role, int layer);
}
