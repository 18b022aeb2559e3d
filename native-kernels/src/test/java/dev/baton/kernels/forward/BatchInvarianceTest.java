package dev.baton.kernels.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.synth.SyntheticModel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decision 6 of the design: a row's bits do not depend on its batch, the chunking of its prompt, or the threads. */
class BatchInvarianceTest {
    private static final int[] BLOCKS = {5, 2, 9};
    private static final int[] OTHER_BLOCKS = {1, 7, 3};
    private static final int LENGTH = 41;

    static Stream<Arguments> everyKernel() {
        List<Arguments> cases = new ArrayList<>();
        for (Isa isa : Runs.isas()) {
            for (TensorType type : TensorType.values()) {
                cases.add(Arguments.of(isa, type, SyntheticModel.tiny(), KvType.F32));
            }
            cases.add(Arguments.of(isa, TensorType.F16, SyntheticModel.awkward(), KvType.F16));
            cases.add(Arguments.of(isa, TensorType.Q8_0, SyntheticModel.awkward(), KvType.F32));
        }
        return cases.stream();
    }

    private static Runs runs(Isa isa, int threads, TensorType type, LlamaConfig config, KvType kvType) {
        ArenaShape shape = new ArenaShape(config.layers(), Runs.BLOCKS, config.kvHeads(), 16, config.headDim(), kvType);
        return new Runs(DeviceConfig.cpu(isa, threads), new SyntheticModel(config, type, 7), shape);
    }

    @ParameterizedTest
    @MethodSource("everyKernel")
    void chunkingAndThreadsChangeNoBit(Isa isa, TensorType type, LlamaConfig config, KvType kvType) {
        int[] tokens = Runs.tokens(LENGTH, config.vocabulary(), 1);
        try (Runs one = runs(isa, 1, type, config, kvType);
                Runs two = runs(isa, 2, type, config, kvType)) {
            float[][] expected = one.all(tokens, BLOCKS, LENGTH);
            byte[] expectedKv = kv(one.arena);
            for (int chunk : new int[] {1, 7, 16}) {
                one.arena.zeroBlock(BLOCKS[0]);
                one.arena.zeroBlock(BLOCKS[1]);
                one.arena.zeroBlock(BLOCKS[2]);
                assertThat(one.all(tokens, BLOCKS, chunk))
                        .as("chunks of %d", chunk)
                        .isEqualTo(expected);
                assertThat(kv(one.arena)).isEqualTo(expectedKv);
            }
            assertThat(two.all(tokens, BLOCKS, LENGTH)).as("two threads").isEqualTo(expected);
            assertThat(two.all(tokens, BLOCKS, 13))
                    .as("two threads, chunks of 13")
                    .isEqualTo(expected);
            assertThat(kv(two.arena)).isEqualTo(expectedKv);
        }
    }

    @ParameterizedTest
    @MethodSource("everyKernel")
    void aRowAmongOthersHasTheBitsOfARowAlone(Isa isa, TensorType type, LlamaConfig config, KvType kvType) {
        int[] mine = Runs.tokens(LENGTH, config.vocabulary(), 1);
        int[] theirs = Runs.tokens(23, config.vocabulary(), 2);
        try (Runs runs = runs(isa, 2, type, config, kvType)) {
            float[][] expected = runs.all(mine, BLOCKS, 1);
            float[][] expectedTheirs = runs.all(theirs, OTHER_BLOCKS, 1);
            // My last row decodes among their whole prompt, in every place of the batch, the prompt backwards too.
            for (int place : new int[] {0, 11, theirs.length}) {
                for (boolean backwards : new boolean[] {false, true}) {
                    runs.batch.clear();
                    int their = runs.batch.addSequence(OTHER_BLOCKS);
                    int my = runs.batch.addSequence(BLOCKS);
                    int myRow = -1;
                    for (int i = 0; i <= theirs.length; i++) {
                        if (i == place) {
                            myRow = runs.batch.addRow(mine[LENGTH - 1], LENGTH - 1, my);
                        }
                        if (i < theirs.length) {
                            int position = backwards ? theirs.length - 1 - i : i;
                            runs.batch.addRow(theirs[position], position, their);
                        }
                    }
                    runs.pass.run(runs.batch);
                    float[][] logits = runs.logits(theirs.length + 1);
                    assertThat(logits[myRow]).isEqualTo(expected[LENGTH - 1]);
                    int theirLast = backwards ? (place == 0 ? 1 : 0) : theirs.length - (place == theirs.length ? 1 : 0);
                    assertThat(logits[theirLast]).isEqualTo(expectedTheirs[theirs.length - 1]);
                }
            }
        }
    }

    private static byte[] kv(KvArena arena) {
        byte[] all = new byte[Math.toIntExact(arena.segment().byteSize())];
        MemorySegment.copy(arena.segment(), 0, MemorySegment.ofArray(all), 0, all.length);
        return all;
    }
}
