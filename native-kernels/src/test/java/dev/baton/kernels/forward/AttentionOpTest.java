package dev.baton.kernels.forward;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.ffi.BtOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paged attention alone, over an arena full of random numbers, against the reference. */
class AttentionOpTest {
    private static final int LAYER = 1;
    private static final int KV_HEADS = 2;

    /** Slots that no row may see hold NaN: one that leaks in spoils the result. */
    @ParameterizedTest
    @CsvSource({
        "8, 16, 1, F32",
        "16, 16, 3, F32",
        "64, 16, 3, F32",
        "64, 16, 3, F16",
        "64, 5, 4, F32",
        "6, 32, 2, F16",
        "256, 16, 1, F32",
        "80, 16, 5, F32",
        "128, 24, 2, F16"
    })
    void cpuIsCloseToReference(int headDim, int blockTokens, int group, KvType type) {
        ArenaShape shape = new ArenaShape(2, 24, KV_HEADS, blockTokens, headDim, type);
        int heads = KV_HEADS * group;
        Batch batch = new Batch();
        int first = batch.addSequence(new int[] {7, 3, 11, 20, 1, 9, 2, 15});
        int second = batch.addSequence(new int[] {5, 23});
        int visible = 8 * blockTokens - 2;
        for (int i = 0; i < 11; i++) {
            batch.addRow(0, visible - 11 + i, first);
        }
        batch.addRow(0, 0, second);
        batch.addRow(0, blockTokens, second);
        batch.addRow(0, 3, first);
        int count = batch.rows() * heads * headDim;
        Random random = new Random(5);
        MemorySegment q = Arena.ofAuto().allocate(JAVA_FLOAT, count);
        for (int i = 0; i < count; i++) {
            q.setAtIndex(JAVA_FLOAT, i, (float) random.nextGaussian() * 2);
        }
        float[] expected = run(DeviceConfig.reference(), shape, batch, q, heads);
        for (float f : expected) {
            assertThat(f).isFinite();
        }
        for (Isa isa : Runs.isas()) {
            assertThat(run(DeviceConfig.cpu(isa, 2), shape, batch, q, heads))
                    .as(isa.name())
                    .containsExactly(expected, within(2e-5f));
        }
    }

    private static float[] run(DeviceConfig config, ArenaShape shape, Batch batch, MemorySegment q, int heads) {
        MemorySegment out = Arena.ofAuto().allocate(JAVA_FLOAT, q.byteSize() / 4);
        try (Device device = Device.open(config);
                KvArena arena = KvArena.create(device, shape)) {
            fill(arena);
            BtOps.opAttention(arena.handle(), LAYER, batch.struct(), q, heads, out);
        }
        return out.toArray(JAVA_FLOAT);
    }

    private static void fill(KvArena arena) {
        ArenaShape shape = arena.shape();
        Random random = new Random(6);
        for (long i = 0; i < shape.totalBytes() / shape.type().elementBytes(); i++) {
            set(arena, i, (float) random.nextGaussian());
        }
        // Never written: the last slot of the first sequence, and all but the first slot of the second's last block.
        for (int half = 0; half < 2 * KV_HEADS; half++) {
            spoil(arena, 15, half, shape.blockTokens() - 1);
            for (int slot = 1; slot < shape.blockTokens(); slot++) {
                spoil(arena, 23, half, slot);
            }
        }
    }

    private static void spoil(KvArena arena, int block, int half, int slot) {
        ArenaShape shape = arena.shape();
        long start = arena.offsetBytes(LAYER, block) / shape.type().elementBytes()
                + ((long) half * shape.blockTokens() + slot) * shape.headDim();
        for (int i = 0; i < shape.headDim(); i++) {
            set(arena, start + i, Float.NaN);
        }
    }

    private static void set(KvArena arena, long index, float value) {
        switch (arena.shape().type()) {
            case F32 -> arena.segment().setAtIndex(JAVA_FLOAT, index, value);
            case F16 -> arena.segment().setAtIndex(JAVA_SHORT, index, Float.floatToFloat16(value));
        }
    }
}
