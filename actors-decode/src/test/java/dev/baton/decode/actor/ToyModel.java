package dev.baton.decode.actor;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.scheduler.kv.BlockMemory;
import dev.baton.scheduler.mls.actor.BatchEngine;
import dev.baton.scheduler.mls.actor.SequenceRows;
import dev.baton.transfer.link.ffi.KvRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A stand-in for a transformer: each row of each layer depends on K and V of every earlier position in that layer, and the
 * logits on all of it. One wrong, missing or late block changes every later token. K/V lives in native memory in the arena's
 * layout, so it crosses the real link.
 */
final class ToyModel implements BatchEngine, BlockMemory {
    static final int LAYERS = 3;
    static final int VOCABULARY = 64;
    static final int CONTEXT_TOKENS = 512;
    static final int BLOCK_TOKENS = 4;
    static final TensorAbi ABI = new TensorAbi(
            ElementType.F32, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, LAYERS, 1, 2, BLOCK_TOKENS, Partition.WHOLE);
    static final ModelIdentity IDENTITY = new ModelIdentity(
            new ModelId("toy"),
            Digests.ofText("weights"),
            Digests.ofText("tokenizer"),
            Digests.NONE,
            Digests.ofText("positions"),
            Digests.CAUSAL_MASK,
            "toy");

    private static final ValueLayout.OfLong SLOT = ValueLayout.JAVA_LONG;

    private final int maxRows;
    private final MemorySegment memory;
    private final KvRegion region;
    private final MemorySegment logits = Arena.ofAuto().allocate(ValueLayout.JAVA_FLOAT, VOCABULARY);
    private List<SequenceRows> batch = List.of();
    private long[][] hidden = {};
    volatile boolean broken;

    /** The device stands still at this position until {@link #go} opens. */
    volatile int standStillAt = Integer.MAX_VALUE;

    final CountDownLatch go = new CountDownLatch(1);

    ToyModel(int blocks, int maxRows) {
        this.maxRows = maxRows;
        this.memory = Arena.ofAuto().allocate((long) LAYERS * blocks * ABI.layerBlockBytes(), 64);
        this.region = KvRegion.layerMajor(memory, LAYERS, blocks, ABI.layerBlockBytes());
    }

    KvRegion region() {
        return region;
    }

    @Override
    public int layers() {
        return LAYERS;
    }

    @Override
    public int maxRows() {
        return maxRows;
    }

    @Override
    public void begin(List<SequenceRows> sequences) {
        if (sequences.stream().mapToInt(s -> s.tokens().length).sum() > maxRows) {
            throw new IllegalStateException("more than " + maxRows + " rows");
        }
        if (sequences.stream().anyMatch(s -> s.endPosition() > standStillAt)) {
            standStill();
        }
        batch = sequences;
        hidden = new long[sequences.size()][];
        for (int s = 0; s < hidden.length; s++) {
            int[] tokens = sequences.get(s).tokens();
            hidden[s] = new long[tokens.length];
            for (int i = 0; i < tokens.length; i++) {
                hidden[s][i] = mix(tokens[i] + 1);
            }
        }
    }

    private void standStill() {
        try {
            if (!go.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test forgot to let the device go on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void layer(int layer) {
        if (broken) {
            throw new IllegalStateException("the device reports an error");
        }
        for (int s = 0; s < hidden.length; s++) {
            SequenceRows rows = batch.get(s);
            for (int i = 0; i < hidden[s].length; i++) {
                int position = rows.firstPosition() + i;
                memory.set(SLOT, key(layer, rows, position), mix(hidden[s][i] + position));
                memory.set(SLOT, value(layer, rows, position), mix(hidden[s][i] - position));
                long attended = 0;
                for (int p = 0; p <= position; p++) {
                    attended += mix(memory.get(SLOT, key(layer, rows, p)) ^ hidden[s][i])
                            * memory.get(SLOT, value(layer, rows, p));
                }
                hidden[s][i] = mix(hidden[s][i] + attended + layer);
            }
        }
    }

    @Override
    public void finish() {}

    @Override
    public MemorySegment logits(int index) {
        long[] rows = hidden[index];
        for (int token = 0; token < VOCABULARY; token++) {
            float logit = (mix(rows[rows.length - 1] + token) >>> 40) / (float) (1 << 22);
            logits.setAtIndex(ValueLayout.JAVA_FLOAT, token, logit);
        }
        return logits;
    }

    @Override
    public void close() {}

    @Override
    public void zero(int block) {
        for (int layer = 0; layer < LAYERS; layer++) {
            slice(layer, block).fill((byte) 0);
        }
    }

    @Override
    public void copy(int from, int to) {
        for (int layer = 0; layer < LAYERS; layer++) {
            slice(layer, to).copyFrom(slice(layer, from));
        }
    }

    private MemorySegment slice(int layer, int block) {
        return memory.asSlice(region.offsetBytes(layer, block), ABI.layerBlockBytes());
    }

    private long key(int layer, SequenceRows rows, int position) {
        int block = rows.blockTable()[position / BLOCK_TOKENS];
        return region.offsetBytes(layer, block) + (long) position % BLOCK_TOKENS * Long.BYTES;
    }

    private long value(int layer, SequenceRows rows, int position) {
        return key(layer, rows, position) + (long) BLOCK_TOKENS * Long.BYTES;
    }

    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        long x = (y ^ (y >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return x ^ (x >>> 31);
    }
}
