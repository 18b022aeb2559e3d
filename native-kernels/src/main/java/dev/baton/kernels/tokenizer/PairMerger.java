package dev.baton.kernels.tokenizer;

import java.util.Arrays;

/**
 * Merges neighbours, best rank first and leftmost among equals, until no pair has a rank. Symbols form a linked list over
 * arrays and candidates a heap of {@code rank << 32 | left}, so n symbols take O(n log n) whatever they are.
 */
final class PairMerger {

    /** The vocabulary's rules over symbols; a symbol is whatever number its owner gives it. */
    interface Rules {
        int NONE = -1;

        /** The rank of a pair, lower merges first; {@link #NONE} where it does not merge. Two pairs of one rank are alike. */
        int rank(int left, int right);

        /** The symbol a pair with a rank becomes. */
        int merged(int left, int right);
    }

    private final Rules rules;
    private final int[] symbols;
    private final int[] next;
    private final int[] previous;
    private long[] heap;
    private int heapSize;

    private PairMerger(Rules rules, int[] symbols) {
        this.rules = rules;
        this.symbols = symbols;
        this.next = new int[symbols.length];
        this.previous = new int[symbols.length];
        this.heap = new long[Math.max(4, symbols.length)];
    }

    /**
     * @param symbols one for each smallest part of the text; overwritten
     * @return how many symbols are left, packed at the front of {@code symbols}
     */
    static int merge(Rules rules, int[] symbols) {
        return symbols.length < 2 ? symbols.length : new PairMerger(rules, symbols).run();
    }

    private int run() {
        int last = symbols.length - 1;
        for (int i = 0; i <= last; i++) {
            next[i] = i < last ? i + 1 : -1;
            previous[i] = i - 1;
        }
        for (int i = 0; i < last; i++) {
            offer(i);
        }
        boolean[] gone = new boolean[symbols.length];
        while (heapSize > 0) {
            long best = pop();
            int left = (int) best;
            int right = gone[left] ? -1 : next[left];
            // A candidate is stale when its pair has changed since; the changed pair has a candidate of its own.
            if (right < 0 || rules.rank(symbols[left], symbols[right]) != (int) (best >>> 32)) {
                continue;
            }
            symbols[left] = rules.merged(symbols[left], symbols[right]);
            gone[right] = true;
            next[left] = next[right];
            if (next[left] >= 0) {
                previous[next[left]] = left;
                offer(left);
            }
            if (previous[left] >= 0) {
                offer(previous[left]);
            }
        }
        int kept = 0;
        for (int i = 0; i >= 0; i = next[i]) {
            symbols[kept++] = symbols[i];
        }
        return kept;
    }

    private void offer(int left) {
        int rank = rules.rank(symbols[left], symbols[next[left]]);
        if (rank != Rules.NONE) {
            push(((long) rank << 32) | left);
        }
    }

    private void push(long key) {
        if (heapSize == heap.length) {
            heap = Arrays.copyOf(heap, heapSize * 2);
        }
        int at = heapSize++;
        while (at > 0 && heap[(at - 1) >>> 1] > key) {
            heap[at] = heap[(at - 1) >>> 1];
            at = (at - 1) >>> 1;
        }
        heap[at] = key;
    }

    private long pop() {
        long top = heap[0];
        long key = heap[--heapSize];
        int at = 0;
        while (2 * at + 1 < heapSize) {
            int child = 2 * at + 1;
            if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= key) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = key;
        return top;
    }
}
