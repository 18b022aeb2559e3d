package dev.baton.kernels.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.ffi.KernelException;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.synth.SyntheticModel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a forward pass refuses, and that a refusal changes nothing. */
class ForwardPassTest {
    private static final LlamaConfig CONFIG = SyntheticModel.tiny();

    private final ModelSource source = new SyntheticModel(CONFIG, TensorType.Q8_0, 1);
    private final Runs runs = new Runs(DeviceConfig.auto(1), source);

    @AfterEach
    void close() {
        runs.close();
    }

    private void assertRefused(String message) {
        assertThatThrownBy(() -> runs.pass.begin(runs.batch))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining(message);
    }

    private void row(int token, int position, int... blocks) {
        runs.batch.clear();
        int sequence = runs.batch.addSequence(blocks);
        runs.batch.addRow(token, position, sequence);
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        row(CONFIG.vocabulary(), 0, 1);
        assertRefused("token is 256");
        row(-1, 0, 1);
        assertRefused("token is -1");
        row(0, 16, 1);
        assertRefused("position is 16");
        row(0, -1, 1);
        assertRefused("position is -1");
        row(0, 0, Runs.BLOCKS);
        assertRefused("block id is 32");
        row(0, 0, 0, -1);
        assertRefused("block id is -1");
        runs.batch.clear();
        runs.batch.addRow(0, 0, runs.batch.addSequence(new int[] {1}) + 1);
        assertRefused("row_sequence is 1");
        runs.batch.clear();
        assertRefused("rows is 0");
        row(0, 0, new int[0]);
        assertRefused("block_entries is 0");
    }

    @Test
    void tooManyRowsAreRefused() {
        runs.batch.clear();
        int sequence = runs.batch.addSequence(new int[] {0, 1, 2, 3, 4});
        for (int i = 0; i <= Runs.MAX_ROWS; i++) {
            runs.batch.addRow(0, i, sequence);
        }
        assertRefused("rows is 65");
    }

    @Test
    void aRefusedBatchLeavesTheOneUnderWayAlone() {
        int[] tokens = Runs.tokens(5, CONFIG.vocabulary(), 1);
        float[][] expected = runs.all(tokens, new int[] {3}, 5);
        row(0, 99, 1);
        assertRefused("position");
        assertThat(runs.logits(5)).isEqualTo(expected);
    }

    @Test
    void stepsOutOfOrderAreRefused() {
        assertThatThrownBy(runs.pass::embed).hasMessageContaining("embed must follow begin");
        row(0, 0, 1);
        runs.pass.begin(runs.batch);
        assertThatThrownBy(() -> runs.pass.layer(0)).hasMessageContaining("out of order");
        runs.pass.embed();
        assertThatThrownBy(() -> runs.pass.layer(1)).hasMessageContaining("layer 1 is out of order, layer 0");
        assertThatThrownBy(() -> runs.pass.layer(2)).hasMessageContaining("layer is 2");
        runs.pass.layer(0);
        assertThatThrownBy(() -> runs.pass.logits(new int[] {0}, 1)).hasMessageContaining("last layer");
        runs.pass.layer(1);
        assertThatThrownBy(() -> runs.pass.logits(new int[] {1}, 1)).hasMessageContaining("logit row is 1");
        assertThat(runs.pass.logits(new int[] {0}, 1).byteSize()).isEqualTo(4L * CONFIG.vocabulary());
    }

    @Test
    void anArenaOfAnotherShapeIsRefused() {
        ArenaShape shape = new ArenaShape(CONFIG.layers(), 2, CONFIG.kvHeads(), 16, 32, KvType.F32);
        try (KvArena other = KvArena.create(runs.device, shape)) {
            assertThatThrownBy(() -> new ForwardPass(runs.model, other, 1, 1))
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("arena shape 2 x 2 x 32 is not the model's 2 x 2 x 16");
        }
    }

    @Test
    void aTensorOfAnotherShapeIsRefusedAndNothingStaysOpen() {
        ModelSource wrong = new ModelSource() {
            @Override
            public LlamaConfig config() {
                return CONFIG;
            }

            @Override
            public Tensor tensor(TensorRole role, int layer) {
                return source.tensor(role == TensorRole.FFN_DOWN ? TensorRole.FFN_UP : role, layer);
            }
        };
        assertThatThrownBy(() -> Model.upload(runs.device, wrong))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("role 9 layer 0 is 96 x 64, the configuration says 64 x 96");
    }

    @Test
    void parentsCloseAfterTheirChildren() {
        assertThatThrownBy(runs.model::close)
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("open children");
        assertThatThrownBy(runs.arena::close)
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("open children");
        runs.pass.close();
        assertThatThrownBy(() -> runs.pass.begin(runs.batch)).hasMessageContaining("forward pass is closed");
    }
}
