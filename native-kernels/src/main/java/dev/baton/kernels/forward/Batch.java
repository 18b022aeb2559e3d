package dev.baton.kernels.forward;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.baton.kernels.ffi.Structs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The rows of one forward pass: any mix of sequences, of prompt and decode rows, at any positions. Reusable; grows to the
 * largest batch it has held and allocates no more. Values are checked by {@link ForwardPass#begin}. Not thread-safe.
 */
public final class Batch {
    private static final int INITIAL = 64;
    private static final long ROWS = Structs.offset(Structs.BATCH, "rows");
    private static final long SEQUENCES = Structs.offset(Structs.BATCH, "sequences");
    private static final long BLOCK_ENTRIES = Structs.offset(Structs.BATCH, "block_entries");

    private final MemorySegment struct = Structs.allocate(Arena.ofAuto(), Structs.BATCH);
    private final Ints tokens = new Ints("tokens");
    private final Ints positions = new Ints("positions");
    private final Ints rowSequence = new Ints("row_sequence");
    private final Ints tableOffset = new Ints("table_offset");
    private final Ints tableCount = new Ints("table_count");
    private final Ints blockTable = new Ints("block_table");

    public void clear() {
        tokens.size = 0;
        positions.size = 0;
        rowSequence.size = 0;
        tableOffset.size = 0;
        tableCount.size = 0;
        blockTable.size = 0;
    }

    /**
     * @param blocks block ids in position order; entry i holds positions {@code i * blockTokens} and on. Copied
     * @return the sequence's index for {@link #addRow}
     */
    public int addSequence(int[] blocks) {
        return addSequence(blocks, blocks.length);
    }

    /** As {@link #addSequence(int[])}, with the first {@code count} entries. */
    public int addSequence(int[] blocks, int count) {
        tableOffset.add(blockTable.size);
        tableCount.add(count);
        for (int i = 0; i < count; i++) {
            blockTable.add(blocks[i]);
        }
        return tableOffset.size - 1;
    }

    /**
     * @param position 0-based in the sequence; K/V of the positions before it are in the arena or in this batch
     * @return the row's index, for {@link ForwardPass#logits}
     */
    public int addRow(int token, int position, int sequence) {
        tokens.add(token);
        positions.add(position);
        rowSequence.add(sequence);
        return tokens.size - 1;
    }

    public int rows() {
        return tokens.size;
    }

    public int sequences() {
        return tableOffset.size;
    }

    MemorySegment struct() {
        struct.set(JAVA_INT, ROWS, tokens.size);
        struct.set(JAVA_INT, SEQUENCES, tableOffset.size);
        struct.set(JAVA_INT, BLOCK_ENTRIES, blockTable.size);
        return struct;
    }

    /** A growing array whose address the struct holds. */
    private final class Ints {
        private final long field;
        private MemorySegment data;
        private int size;

        Ints(String name) {
            this.field = Structs.offset(Structs.BATCH, name);
            this.data = allocate(INITIAL);
        }

        private MemorySegment allocate(int capacity) {
            MemorySegment fresh = Arena.ofAuto().allocate(JAVA_INT, capacity);
            struct.set(ADDRESS, field, fresh);
            return fresh;
        }

        void add(int value) {
            long capacity = data.byteSize() / Integer.BYTES;
            if (size == capacity) {
                MemorySegment full = data;
                data = allocate(Math.toIntExact(capacity * 2));
                data.copyFrom(full);
            }
            data.setAtIndex(JAVA_INT, size++, value);
        }
    }
}
