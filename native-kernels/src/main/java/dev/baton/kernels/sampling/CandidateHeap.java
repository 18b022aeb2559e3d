package dev.baton.kernels.sampling;

/**
 * Token ids in order of logit, highest first, then id, lowest first; sorted only as far as they are taken. Taken ids stay
 * readable behind the heap.
 */
final class CandidateHeap {

    private final float[] logits;
    private final int[] ids;
    private int size;
    private int filled;

    CandidateHeap(float[] logits) {
        this.logits = logits;
        this.ids = new int[logits.length];
    }

    void fill() {
        size = ids.length;
        filled = size;
        for (int id = 0; id < size; id++) {
            ids[id] = id;
        }
        heapify();
    }

    boolean hasNext() {
        return size > 0;
    }

    int peek() {
        return ids[0];
    }

    int next() {
        int top = ids[0];
        size--;
        ids[0] = ids[size];
        ids[size] = top;
        sink(0);
        return top;
    }

    /** The {@code i}-th id taken since the heap was filled or truncated. */
    int taken(int i) {
        return ids[filled - 1 - i];
    }

    /** The {@code i}-th best after {@link #truncate}. */
    int at(int i) {
        return ids[i];
    }

    /** Keeps the {@code k} best, in order. */
    int truncate(int k) {
        int count = Math.min(k, size);
        for (int i = 0; i < count; i++) {
            next();
        }
        // The best lie at the end, last taken first; in order at the front they are a heap already.
        for (int i = 0; i < count; i++) {
            int other = filled - 1 - i;
            if (i >= other) {
                break;
            }
            int id = ids[i];
            ids[i] = ids[other];
            ids[other] = id;
        }
        size = count;
        filled = count;
        return count;
    }

    private void heapify() {
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i);
        }
    }

    private void sink(int from) {
        int at = from;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && before(ids[child + 1], ids[child])) {
                child++;
            }
            if (before(ids[at], ids[child])) {
                break;
            }
            int id = ids[at];
            ids[at] = ids[child];
            ids[child] = id;
            at = child;
        }
    }

    private boolean before(int a, int b) {
        return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
    }
}
