package dev.baton.kernels.tokenizer;

import java.util.Arrays;

/** Ranks and results of token pairs: an open-addressing table over primitives, filled once. */
final class MergeTable implements PairMerger.Rules {

    private static final long EMPTY = -1;

    private final long[] pairs;
    private final int[] ranks;
    private final int[] results;

    MergeTable(int expected) {
        int capacity = Integer.highestOneBit(Math.max(4, expected)) * 4;
        this.pairs = new long[capacity];
        this.ranks = new int[capacity];
        this.results = new int[capacity];
        Arrays.fill(pairs, EMPTY);
    }

    void putIfAbsent(int left, int right, int rank, int merged) {
        int slot = slot(left, right);
        if (pairs[slot] == EMPTY) {
            pairs[slot] = pair(left, right);
            ranks[slot] = rank;
            results[slot] = merged;
        }
    }

    @Override
    public int rank(int left, int right) {
        int slot = slot(left, right);
        return pairs[slot] == EMPTY ? NONE : ranks[slot];
    }

    @Override
    public int merged(int left, int right) {
        return results[slot(left, right)];
    }

    private int slot(int left, int right) {
        long pair = pair(left, right);
        long mixed = pair * 0x9E37_79B9_7F4A_7C15L;
        int slot = (int) (mixed >>> 32) & (pairs.length - 1);
        while (pairs[slot] != EMPTY && pairs[slot] != pair) {
            slot = (slot + 1) & (pairs.length - 1);
        }
        return slot;
    }

    private static long pair(int left, int right) {
        return ((long) left << 32) | right;
    }
}
