package dev.baton.kernels.synth;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.RopeStyle;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Random weights of a shape. The same seed, shape and type give the same bytes everywhere. Matrices are uniform with variance
 * {@code 1/cols}, so activations keep their scale through the layers; norms lie around one. A quantised type falls back to F16
 * where a row is no multiple of 32, as files do.
 */
public final class SyntheticModel implements ModelSource {
    private final LlamaConfig config;
    private final TensorType type;
    private final long seed;

    public SyntheticModel(LlamaConfig config, TensorType type, long seed) {
        this.config = config;
        this.type = type;
        this.seed = seed;
    }

    /** SmolLM2-135M's shape. */
    public static LlamaConfig smollm2_135m() {
        return new LlamaConfig(30, 576, 1536, 9, 3, 64, 49152, 8192, 1e5f, RopeStyle.INTERLEAVED, 1e-5f, true);
    }

    /** TinyLlama-1.1B's shape. */
    public static LlamaConfig tinyllama_1_1b() {
        return new LlamaConfig(22, 2048, 5632, 32, 4, 64, 32000, 2048, 1e4f, RopeStyle.INTERLEAVED, 1e-5f, false);
    }

    /** Small enough for a test, every width a multiple of 32. */
    public static LlamaConfig tiny() {
        return new LlamaConfig(2, 64, 96, 4, 2, 16, 256, 512, 1e4f, RopeStyle.INTERLEAVED, 1e-5f, true);
    }

    /** Widths that are no multiple of any vector: the shape of stories260K with fewer layers. */
    public static LlamaConfig awkward() {
        return new LlamaConfig(2, 64, 172, 8, 4, 8, 509, 512, 1e4f, RopeStyle.ROTATE_HALF, 1e-5f, false);
    }

    @Override
    public LlamaConfig config() {
        return config;
    }

    @Override
    public Tensor tensor(TensorRole role, int layer) {
        long rows = rows(role);
        long cols = cols(role);
        TensorType stored = rows == 1 ? TensorType.F32 : cols % type.blockElements() == 0 ? type : TensorType.F16;
        MemorySegment data = Arena.ofAuto().allocate(rows * stored.rowBytes(cols), 64);
        long stream = mix(seed * 31 + role.ordinal() * 4096L + layer + 1);
        if (rows == 1) {
            for (long i = 0; i < cols; i++) {
                data.set(JAVA_FLOAT_UNALIGNED, i * 4, 1 + 0.1f * uniform(stream + i));
            }
        } else {
            float amplitude = (float) Math.sqrt(3.0 / cols);
            fill(data, stored, rows * cols, amplitude, stream);
        }
        return new Tensor(role + "." + layer, stored, rows, cols, data);
    }

    private long rows(TensorRole role) {
        return switch (role) {
            case TOKEN_EMBEDDING, OUTPUT -> config.vocabulary();
            case ATTENTION_NORM, FFN_NORM, OUTPUT_NORM -> 1;
            case QUERY -> (long) config.heads() * config.headDim();
            case KEY, VALUE -> (long) config.kvHeads() * config.headDim();
            case ATTENTION_OUTPUT, FFN_DOWN -> config.dModel();
            case FFN_GATE, FFN_UP -> config.ffnDim();
        };
    }

    private long cols(TensorRole role) {
        return switch (role) {
            case ATTENTION_OUTPUT -> (long) config.heads() * config.headDim();
            case FFN_DOWN -> config.ffnDim();
            case TOKEN_EMBEDDING, OUTPUT, ATTENTION_NORM, FFN_NORM, OUTPUT_NORM, QUERY, KEY, VALUE, FFN_GATE, FFN_UP ->
                config.dModel();
        };
    }

    private static void fill(MemorySegment data, TensorType type, long count, float amplitude, long stream) {
        switch (type) {
            case F32 -> {
                for (long i = 0; i < count; i++) {
                    data.set(JAVA_FLOAT_UNALIGNED, i * 4, amplitude * uniform(stream + i));
                }
            }
            case F16 -> {
                for (long i = 0; i < count; i++) {
                    short half = Float.floatToFloat16(amplitude * uniform(stream + i));
                    data.set(JAVA_SHORT_UNALIGNED, i * 2, half);
                }
            }
            case BF16 -> {
                for (long i = 0; i < count; i++) {
                    int bits = Float.floatToRawIntBits(amplitude * uniform(stream + i));
                    data.set(JAVA_SHORT_UNALIGNED, i * 2, (short) (bits >>> 16));
                }
            }
            // Random integers under one scale per block: quantising random floats would give the same, more slowly.
            case Q8_0 -> quants(data, count / 32, 34, amplitude / 127, stream);
            case Q4_0 -> quants(data, count / 32, 18, amplitude / 8, stream);
        }
    }

    private static void quants(MemorySegment data, long blocks, int blockBytes, float scale, long stream) {
        for (long b = 0; b < blocks; b++) {
            long at = b * blockBytes;
            float own = scale * (0.9f + 0.1f * uniform(stream + b * 64));
            data.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(own));
            for (int i = 2; i < blockBytes; i += 8) {
                long bits = mix(stream + b * 64 + i);
                for (int j = i; j < Math.min(i + 8, blockBytes); j++) {
                    byte value = (byte) (bits >>> (8 * (j - i)));
                    data.set(JAVA_BYTE, at + j, value == Byte.MIN_VALUE ? (byte) -127 : value);
                }
            }
        }
    }

    /** In [-1, 1). */
    private static float uniform(long n) {
        return (mix(n) >> 40) * 0x1p-23f;
    }

    /** SplitMix64's finaliser over a counter. */
    private static long mix(long n) {
        long z = n * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
