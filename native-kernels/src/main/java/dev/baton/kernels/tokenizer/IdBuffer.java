package dev.baton.kernels.tokenizer;

import java.util.Arrays;

/** A growing run of token ids. */
final class IdBuffer {

    private int[] ids;
    private int size;

    IdBuffer(int expected) {
        this.ids = new int[Math.max(16, expected)];
    }

    void add(int id) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
        }
        ids[size++] = id;
    }

    int[] toArray() {
        return Arrays.copyOf(ids, size);
    }
}
