package dev.baton.kernels.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A model whose Q8_0 and Q4_0 tensors are handed out as F32. The weights stay exactly what the file says; what changes is that
 * the device multiplies them with f32 activations instead of rounding activations to int8. Costs four to eight times the memory, so
 * it suits models that are small or that serve as a reference.
 */
public final class DequantizedModel implements ModelSource {
    private static final ValueLayout.OfShort F16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = 32;
    private static final int SCALE_BYTES = 2;

    private final ModelSource source;

    public DequantizedModel(ModelSource source) {
        this.source = source;
    }

    @Override
    public LlamaConfig config() {
        return source.config();
    }

    @Override
    public Tensor tensor(TensorRole role, int layer) {
        Tensor tensor = source.tensor(role, layer);
        return switch (tensor.type()) {
            case F32, F16, BF16 -> tensor;
            case Q8_0, Q4_0 -> f32(tensor);
        };
    }

    private static Tensor f32(Tensor tensor) {
        long elements = tensor.rows() * tensor.cols();
        MemorySegment out = Arena.ofAuto().allocate(elements * Float.BYTES, Float.BYTES);
        int blockBytes = tensor.type().blockBytes();
        MemorySegment in = tensor.data();
        for (long block = 0; block < elements / BLOCK; block++) {
            long at = block * blockBytes;
            float scale = Float.float16ToFloat(in.get(F16, at));
            for (int i = 0; i < BLOCK; i++) {
                int quant = tensor.type() == TensorType.Q8_0
                        ? in.get(ValueLayout.JAVA_BYTE, at + SCALE_BYTES + i)
                        : nibble(in, at, i) - 8;
                out.setAtIndex(ValueLayout.JAVA_FLOAT, block * BLOCK + i, scale * quant);
            }
        }
        return new Tensor(tensor.name(), TensorType.F32, tensor.rows(), tensor.cols(), out.asReadOnly());
    }

    /** Low nibbles are elements 0..15, high nibbles 16..31. */
    private static int nibble(MemorySegment in, long blockAt, int i) {
        int pair = in.get(ValueLayout.JAVA_BYTE, blockAt + SCALE_BYTES + i % (BLOCK / 2));
        return i < BLOCK / 2 ? pair & 0xf : pair >> 4 & 0xf;
    }
}
