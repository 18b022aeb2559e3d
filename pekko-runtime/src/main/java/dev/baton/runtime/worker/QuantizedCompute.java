package dev.baton.runtime.worker;

import dev.baton.kernels.model.DequantizedModel;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;

/** How matrices that a file holds quantised are multiplied; see docs/adr/0006. */
public enum QuantizedCompute {
    /** F32 for small models, int8 for others. */
    AUTO,
    /** Activations are rounded to int8 blocks. */
    INT8,
    /** Weights as the file says, activations unrounded. */
    F32;

    private static final long SMALL_BYTES = 64L << 20;

    /** INT8 or F32 for this model. */
    public QuantizedCompute resolve(LlamaConfig shape) {
        return switch (this) {
            case INT8, F32 -> this;
            case AUTO -> f32Bytes(shape) <= SMALL_BYTES ? F32 : INT8;
        };
    }

    /** The model as the device shall see it. */
    public ModelSource apply(ModelSource model) {
        return switch (resolve(model.config())) {
            case F32 -> new DequantizedModel(model);
            case INT8, AUTO -> model;
        };
    }

    private static long f32Bytes(LlamaConfig shape) {
        long attention = 2L * shape.dModel() * shape.headDim() * (shape.heads() + shape.kvHeads());
        long ffn = 3L * shape.dModel() * shape.ffnDim();
        long vocabulary = (shape.tiedOutput() ? 1L : 2L) * shape.vocabulary() * shape.dModel();
        return Float.BYTES * (shape.layers() * (attention + ffn) + vocabulary);
    }
}
