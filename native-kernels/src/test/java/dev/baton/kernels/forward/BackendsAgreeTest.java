package dev.baton.kernels.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.synth.SyntheticModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole models: the reference against plain Java, and the cpu backend against the reference. */
class BackendsAgreeTest {
    private static final int[] BLOCKS = {4, 0, 17};

    @Test
    void referenceIsPlainArithmetic() {
        for (LlamaConfig config : new LlamaConfig[] {SyntheticModel.tiny(), SyntheticModel.awkward()}) {
            SyntheticModel source = new SyntheticModel(config, TensorType.F32, 3);
            int[] tokens = Runs.tokens(37, config.vocabulary(), 5);
            float[][] expected = new JavaModel(source).logits(tokens);
            try (Runs reference = new Runs(DeviceConfig.reference(), source)) {
                assertThat(worst(reference.all(tokens, BLOCKS, 10), expected)).isLessThan(2e-5);
            }
        }
    }

    /**
     * Float weights: only the order of additions differs. Quantised weights: the cpu backend rounds activations to 8 bits, each
     * by at most 1/254 of the largest in its block of 32.
     */
    @ParameterizedTest
    @EnumSource(TensorType.class)
    void cpuIsCloseToReference(TensorType type) {
        for (LlamaConfig config : new LlamaConfig[] {SyntheticModel.tiny(), SyntheticModel.awkward()}) {
            for (KvType kvType : KvType.values()) {
                SyntheticModel source = new SyntheticModel(config, type, 11);
                ArenaShape shape = new ArenaShape(config.layers(), 64, config.kvHeads(), 8, config.headDim(), kvType);
                int[] blocks = {4, 0, 17, 33, 63};
                int[] tokens = Runs.tokens(39, config.vocabulary(), 5);
                try (Runs reference = new Runs(DeviceConfig.reference(), source, shape)) {
                    float[][] expected = reference.all(tokens, blocks, 39);
                    for (Isa isa : Runs.isas()) {
                        try (Runs cpu = new Runs(DeviceConfig.cpu(isa, 2), source, shape)) {
                            double tolerance = type.blockElements() > 1 ? 0.1 : kvType == KvType.F16 ? 2e-3 : 5e-5;
                            assertThat(worst(cpu.all(tokens, blocks, 39), expected))
                                    .as("%s %s %s", isa, type, kvType)
                                    .isLessThan(tolerance);
                        }
                    }
                }
            }
        }
    }

    /** Largest difference, relative to the root mean square of the expected logits. */
    private static double worst(float[][] actual, float[][] expected) {
        double square = 0;
        double worst = 0;
        for (int row = 0; row < expected.length; row++) {
            for (int i = 0; i < expected[row].length; i++) {
                square += (double) expected[row][i] * expected[row][i];
                worst = Math.max(worst, Math.abs((double) actual[row][i] - expected[row][i]));
            }
        }
        return worst / Math.sqrt(square / ((double) expected.length * expected[0].length));
    }
}
