package dev.baton.transfer.link;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.transfer.link.ffi.KvRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.IntStream;

/** Small transfers over plain native memory. */
public final class Transfers {
    public static final WorkerEpoch SOURCE = new WorkerEpoch(7);
    public static final WorkerEpoch DESTINATION = new WorkerEpoch(9);

    private Transfers() {}

    public static Fence fence(String request) {
        return new Fence(
                new TenantId("acme"),
                new RequestId(request),
                new Generation(3),
                Attempt.FIRST,
                SOURCE,
                DESTINATION,
                new ReservationId(42));
    }

    /** K and V of 2 heads of 64 in 16 slots of 4 bytes: 16 KiB for one layer of one block. */
    public static TensorAbi abi(int layers) {
        return new TensorAbi(ElementType.F32, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, layers, 2, 64, 16, PARTITION);
    }

    private static final Partition PARTITION = Partition.WHOLE;

    public static ChunkPlan plan(int layers, int promptTokens, int blocksPerChunk) {
        TensorAbi abi = abi(layers);
        return ChunkPlan.layerMajor(new TokenInterval(0, promptTokens), abi, blocksPerChunk * abi.layerBlockBytes());
    }

    public static KvRegion region(Arena arena, int layers, int blocks) {
        long blockBytes = abi(layers).layerBlockBytes();
        return KvRegion.layerMajor(arena.allocate((long) layers * blocks * blockBytes, 64), layers, blocks, blockBytes);
    }

    public static KvRegion randomRegion(Arena arena, int layers, int blocks, long seed) {
        KvRegion region = region(arena, layers, blocks);
        fillRandom(region.memory(), seed);
        return region;
    }

    static void fillRandom(MemorySegment memory, long seed) {
        byte[] bytes = new byte[Math.toIntExact(memory.byteSize())];
        new Random(seed).nextBytes(bytes);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
    }

    /** {@code count} distinct blocks of {@code of}, scattered. */
    public static int[] scattered(int count, int of, long seed) {
        int[] all = IntStream.range(0, of).toArray();
        Random random = new Random(seed);
        for (int i = all.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swap = all[i];
            all[i] = all[j];
            all[j] = swap;
        }
        return IntStream.range(0, count).map(i -> all[i]).toArray();
    }

    /** Byte of the first difference between a chunk at both ends, or -1. */
    public static long mismatch(ChunkSpec chunk, KvRegion from, int[] fromBlocks, KvRegion to, int[] toBlocks) {
        for (int i = 0; i < chunk.blockCount(); i++) {
            int ordinal = chunk.firstBlock() + i;
            long a = from.offsetBytes(chunk.layer(), fromBlocks[ordinal]);
            long b = to.offsetBytes(chunk.layer(), toBlocks[ordinal]);
            long at = from.memory()
                    .asSlice(a, from.layerBlockBytes())
                    .mismatch(to.memory().asSlice(b, to.layerBlockBytes()));
            if (at >= 0) {
                return i * from.layerBlockBytes() + at;
            }
        }
        return -1;
    }

    public static boolean isAllZero(KvRegion region) {
        return IntStream.range(0, Math.toIntExact(region.memory().byteSize() / Long.BYTES))
                .allMatch(
                        i -> region.memory().get(java.lang.foreign.ValueLayout.JAVA_LONG, (long) i * Long.BYTES) == 0);
    }
}
