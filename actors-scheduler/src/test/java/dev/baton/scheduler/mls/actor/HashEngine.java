package dev.baton.scheduler.mls.actor;

import dev.baton.scheduler.kv.BlockMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A "model" whose logits depend on every K/V slot of the sequence in every layer: a wrong block or a missing row shows. */
final class HashEngine implements BatchEngine, BlockMemory {
    static final int VOCABULARY = 32;
    private final int layers;
    private final int maxRows;
    private final int blockTokens;
    private final long[][] slots;
    private final MemorySegment logits = Arena.ofAuto().allocate(ValueLayout.JAVA_FLOAT, VOCABULARY);
    private List<SequenceRows> batch = List.of();
    final List<Integer> batchRows = new ArrayList<>();
    int failAtLayer = -1;
    boolean closed;

    HashEngine(int layers, int blocks, int blockTokens, int maxRows) {
        this.layers = layers;
        this.maxRows = maxRows;
        this.blockTokens = blockTokens;
        this.slots = new long[layers][blocks * blockTokens];
    }

    @Override
    public int layers() {
        return layers;
    }

    @Override
    public int maxRows() {
        return maxRows;
    }

    @Override
    public void begin(List<SequenceRows> sequences) {
        batch = sequences;
        int rows = sequences.stream().mapToInt(s -> s.tokens().length).sum();
        if (rows > maxRows) {
            throw new IllegalStateException(rows + " rows of at most " + maxRows);
        }
        batchRows.add(rows);
    }

    @Override
    public void layer(int layer) {
        if (layer == failAtLayer) {
            throw new IllegalStateException("device error");
        }
        for (SequenceRows rows : batch) {
            for (int i = 0; i < rows.tokens().length; i++) {
                int position = rows.firstPosition() + i;
                slots[layer][slot(rows, position)] = mix(rows.tokens()[i] * 31L + position * 1_000_003L + layer);
            }
        }
    }

    @Override
    public void finish() {}

    @Override
    public MemorySegment logits(int index) {
        SequenceRows rows = batch.get(index);
        long hash = 0;
        for (long[] layer : slots) {
            for (int position = 0; position < rows.endPosition(); position++) {
                hash = mix(hash + layer[slot(rows, position)]);
            }
        }
        for (int token = 0; token < VOCABULARY; token++) {
            logits.setAtIndex(ValueLayout.JAVA_FLOAT, token, (mix(hash + token) >>> 40) / 1e6f);
        }
        return logits;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void zero(int block) {
        for (long[] layer : slots) {
            java.util.Arrays.fill(layer, block * blockTokens, (block + 1) * blockTokens, 0);
        }
    }

    @Override
    public void copy(int from, int to) {
        for (long[] layer : slots) {
            System.arraycopy(layer, from * blockTokens, layer, to * blockTokens, blockTokens);
        }
    }

    private int slot(SequenceRows rows, int position) {
        return rows.blockTable()[position / blockTokens] * blockTokens + position % blockTokens;
    }

    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        long x = (y ^ (y >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return x ^ (x >>> 31);
    }
}
