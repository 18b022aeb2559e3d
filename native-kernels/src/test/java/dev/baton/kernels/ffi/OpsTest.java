package dev.baton.kernels.ffi;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.RopeStyle;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.synth.SyntheticModel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each operation of the cpu backend, in every instruction set of this machine, against the reference. */
class OpsTest {
    private static final int ROWS = 13;

    private final Arena arena = Arena.ofAuto();

    static Stream<Isa> isas() {
        return devices().stream();
    }

    private static List<Isa> devices() {
        List<Isa> usable = new ArrayList<>();
        for (Isa isa : List.of(Isa.SCALAR, Isa.AVX2, Isa.AVX512)) {
            try (Device _ = Device.open(DeviceConfig.cpu(isa, 1))) {
                usable.add(isa);
            } catch (KernelException e) {
                assertThat(e.unsupported()).as(e.getMessage()).isTrue();
            }
        }
        return usable;
    }

    static Stream<Arguments> matrices() {
        List<Arguments> cases = new ArrayList<>();
        for (Isa isa : devices()) {
            for (TensorType type : TensorType.values()) {
                cases.add(Arguments.of(isa, type, 96, 33));
                cases.add(Arguments.of(isa, type, 576, 96));
                if (type.blockElements() == 1) {
                    cases.add(Arguments.of(isa, type, 171, 7));
                }
            }
        }
        return cases.stream();
    }

    /**
     * Float weights: order of additions only. Quantised: an activation is off by at most half a step, 1/254 of the largest in its
     * block, so an output by at most that times the sum of its weights' magnitudes; the bound is exact, not statistical.
     */
    @ParameterizedTest
    @MethodSource("matrices")
    void matmul(Isa isa, TensorType type, int k, int n) {
        Tensor weight = matrix(type, n, k);
        float[] x = random(ROWS * k, 2);
        float[] expected = matmulOn(DeviceConfig.reference(), weight, x);
        float[] actual = matmulOn(DeviceConfig.cpu(isa, 2), weight, x);
        float[] w = embeddingOn(DeviceConfig.reference(), weight);
        for (int m = 0; m < ROWS; m++) {
            for (int j = 0; j < n; j++) {
                double magnitude = 0;
                double rounding = 0;
                for (int i = 0; i < k; i++) {
                    magnitude += Math.abs((double) w[j * k + i] * x[m * k + i]);
                    rounding += Math.abs(w[j * k + i]) * largestOfBlock(x, m * k, i, k) / 254;
                }
                double bound = magnitude * k * 0x1p-24 + (type.blockElements() > 1 ? rounding * 1.0001 : 0);
                assertThat((double) actual[m * n + j]).isCloseTo(expected[m * n + j], within(bound));
            }
        }
    }

    /** The extremes of both sides: where a saturating multiply would lose bits. Every product is exact in f32. */
    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            names = {"Q8_0", "Q4_0"})
    void matmulDoesNotSaturate(TensorType type) {
        int k = 64;
        int n = 16;
        MemorySegment data = arena.allocate(n * type.rowBytes(k));
        for (long block = 0; block < data.byteSize() / type.blockBytes(); block++) {
            long at = block * type.blockBytes();
            data.asSlice(at, type.blockBytes()).fill((byte) (type == TensorType.Q8_0 ? -128 : 0));
            data.set(java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(1f));
        }
        Tensor weight = new Tensor("extreme", type, n, k, data);
        float[] x = new float[ROWS * k];
        java.util.Arrays.fill(x, 127f);
        float expected = 127f * k * (type == TensorType.Q8_0 ? -128 : -8);
        for (Isa isa : devices()) {
            assertThat(matmulOn(DeviceConfig.cpu(isa, 1), weight, x))
                    .as(isa.name())
                    .containsOnly(expected);
        }
        assertThat(matmulOn(DeviceConfig.reference(), weight, x)).containsOnly(expected);
    }

    @ParameterizedTest
    @MethodSource("isas")
    void embeddingIsExact(Isa isa) {
        for (TensorType type : TensorType.values()) {
            Tensor table = matrix(type, 21, 96);
            assertThat(embeddingOn(DeviceConfig.cpu(isa, 1), table))
                    .as(type.name())
                    .isEqualTo(embeddingOn(DeviceConfig.reference(), table));
        }
    }

    @ParameterizedTest
    @MethodSource("isas")
    void rmsnorm(Isa isa) {
        for (int d : new int[] {8, 61, 576}) {
            MemorySegment x = segment(random(ROWS * d, 3));
            MemorySegment weight = segment(random(d, 4));
            compare(isa, ROWS * d, 1e-5, (device, out) -> BtOps.opRmsnorm(device, x, weight, ROWS, d, 1e-5f, out));
        }
    }

    @ParameterizedTest
    @MethodSource("isas")
    void swiglu(Isa isa) {
        float[] gate = random(1003, 5);
        gate[0] = 100;
        gate[1] = -100;
        gate[2] = 0;
        gate[3] = 30;
        MemorySegment g = segment(gate);
        MemorySegment up = segment(random(1003, 6));
        compare(isa, 1003, 1e-6, (device, out) -> BtOps.opSwiglu(device, g, up, 1003, out));
    }

    @ParameterizedTest
    @MethodSource("isas")
    void ropeInBothStyles(Isa isa) {
        int heads = 3;
        for (RopeStyle style : RopeStyle.values()) {
            for (int headDim : new int[] {2, 8, 64}) {
                float[] x = random(ROWS * heads * headDim, 7);
                int[] positions = new Random(1).ints(ROWS, 0, 8192).toArray();
                compare(isa, x.length, 1e-6, (device, out) -> {
                    out.copyFrom(MemorySegment.ofArray(x));
                    BtOps.opRope(device, out, ROWS, heads, headDim, segment(positions), 1e5f, style.ordinal());
                });
            }
        }
    }

    @Test
    void ropeTurnsTheDocumentedPairs() {
        MemorySegment interleaved = segment(new float[] {1, 0, 1, 0});
        MemorySegment halves = segment(new float[] {1, 1, 0, 0});
        try (Device device = Device.open(DeviceConfig.reference())) {
            BtOps.opRope(device.handle(), interleaved, 1, 1, 4, segment(new int[] {1}), 100f, 0);
            BtOps.opRope(device.handle(), halves, 1, 1, 4, segment(new int[] {1}), 100f, 1);
        }
        // Angles 1 and 100^(-1/2) = 0.1.
        float[] expected = {(float) Math.cos(1), (float) Math.sin(1), (float) Math.cos(0.1), (float) Math.sin(0.1)};
        assertThat(interleaved.toArray(JAVA_FLOAT)).containsExactly(expected, within(1e-7f));
        assertThat(halves.toArray(JAVA_FLOAT))
                .containsExactly(new float[] {expected[0], expected[2], expected[1], expected[3]}, within(1e-7f));
    }

    private void compare(Isa isa, int count, double tolerance, BiConsumer<Long, MemorySegment> op) {
        MemorySegment expected = arena.allocate(JAVA_FLOAT, count);
        MemorySegment actual = arena.allocate(JAVA_FLOAT, count);
        try (Device reference = Device.open(DeviceConfig.reference());
                Device cpu = Device.open(DeviceConfig.cpu(isa, 2))) {
            op.accept(reference.handle(), expected);
            op.accept(cpu.handle(), actual);
        }
        for (int i = 0; i < count; i++) {
            float right = expected.getAtIndex(JAVA_FLOAT, i);
            double allowed = tolerance * Math.max(1, Math.abs(right));
            assertThat(actual.getAtIndex(JAVA_FLOAT, i)).isCloseTo(right, within((float) allowed));
        }
    }

    private float[] matmulOn(DeviceConfig config, Tensor w, float[] x) {
        int n = Math.toIntExact(w.rows());
        MemorySegment out = arena.allocate(JAVA_FLOAT, (long) ROWS * n);
        try (Device device = Device.open(config)) {
            BtOps.opMatmul(device.handle(), w.type().ordinal(), w.data(), n, w.cols(), segment(x), ROWS, out);
        }
        return out.toArray(JAVA_FLOAT);
    }

    private float[] embeddingOn(DeviceConfig config, Tensor table) {
        int rows = Math.toIntExact(table.rows());
        int[] all = new int[rows];
        for (int i = 0; i < rows; i++) {
            all[i] = i;
        }
        MemorySegment out = arena.allocate(JAVA_FLOAT, rows * table.cols());
        try (Device device = Device.open(config)) {
            BtOps.opEmbedding(
                    device.handle(), table.type().ordinal(), table.data(), rows, table.cols(), segment(all), rows, out);
        }
        return out.toArray(JAVA_FLOAT);
    }

    private static Tensor matrix(TensorType type, int n, int k) {
        LlamaConfig config = new LlamaConfig(1, k, 32, 1, 1, 32, n, 16, 1e4f, RopeStyle.INTERLEAVED, 1e-5f, true);
        return new SyntheticModel(config, type, 9).tensor(TensorRole.TOKEN_EMBEDDING, 0);
    }

    private static double largestOfBlock(float[] x, int start, int i, int k) {
        double largest = 0;
        for (int j = i / 32 * 32; j < Math.min(k, i / 32 * 32 + 32); j++) {
            largest = Math.max(largest, Math.abs(x[start + j]));
        }
        return largest;
    }

    private static float[] random(int count, int seed) {
        Random random = new Random(seed);
        float[] out = new float[count];
        for (int i = 0; i < count; i++) {
            out[i] = (float) random.nextGaussian();
        }
        return out;
    }

    private MemorySegment segment(float[] values) {
        return arena.allocateFrom(JAVA_FLOAT, values);
    }

    private MemorySegment segment(int[] values) {
        return arena.allocateFrom(JAVA_INT, values);
    }
}
