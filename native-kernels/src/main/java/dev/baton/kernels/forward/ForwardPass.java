package dev.baton.kernels.forward;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.device.NativeHandle;
import dev.baton.kernels.device.Queue;
import dev.baton.kernels.ffi.Bt;
import dev.baton.kernels.ffi.KernelException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Begin, embed, layer 0 to the last, logits as often as wanted. Any other order is refused; {@link #begin} may come at any time
 * and abandons what was under way. One thread at a time.
 */
public final class ForwardPass implements AutoCloseable {
    private final Model model;
    private final KvArena arena;
    private final Queue queue;
    private final NativeHandle handle;
    private final int maxRows;
    private final int maxLogitRows;
    private final Arena memory = Arena.ofShared();
    private final MemorySegment logitRows;
    private final MemorySegment logits;
    private final int layers;
    private final int vocabulary;

    /** On the device's default queue. */
    public ForwardPass(Model model, KvArena arena, int maxRows, int maxLogitRows) {
        this(model, arena, model.device().queue(), maxRows, maxLogitRows);
    }

    /**
     * @param maxRows rows of the largest batch
     * @param maxLogitRows most rows of one call of {@link #logits}, at most {@code maxRows}
     * @throws KernelException when the arena's shape is not the model's, or the memory is refused
     */
    public ForwardPass(Model model, KvArena arena, Queue queue, int maxRows, int maxLogitRows) {
        this.model = model;
        this.arena = arena;
        this.queue = queue;
        this.maxRows = maxRows;
        this.maxLogitRows = maxLogitRows;
        this.layers = model.config().layers();
        this.vocabulary = model.config().vocabulary();
        long native_ = Bt.forwardCreate(model.handle(), arena.handle(), queue.handle(), maxRows, maxLogitRows);
        this.handle = new NativeHandle("forward pass", native_, Bt::forwardClose);
        this.logitRows = memory.allocate(JAVA_INT, maxLogitRows);
        this.logits = memory.allocate(4L * maxLogitRows * vocabulary, 64);
    }

    /**
     * Checks and copies the batch, which may be cleared afterwards.
     *
     * @throws KernelException for a token, position, sequence or block out of range, or too many rows; nothing was touched
     */
    public void begin(Batch batch) {
        Bt.forwardBegin(handle.get(), batch.struct());
    }

    public void embed() {
        Bt.forwardEmbed(handle.get());
    }

    /** Runs one layer; its K/V of all rows are in the arena when the queue has passed this call. */
    public void layer(int layer) {
        Bt.forwardLayer(handle.get(), layer);
    }

    /** Begin, embed, and every layer. */
    public void run(Batch batch) {
        begin(batch);
        embed();
        for (int layer = 0; layer < layers; layer++) {
            layer(layer);
        }
    }

    /**
     * @param rows batch rows, of which the first {@code count} are read
     * @return f32 {@code [count][vocabulary]}, valid until the next call
     */
    public MemorySegment logits(int[] rows, int count) {
        if (count < 1 || count > maxLogitRows || count > rows.length) {
            throw new KernelException(
                    Bt.ERR_ARGUMENT, "count is " + count + ", must be 1 to " + Math.min(maxLogitRows, rows.length));
        }
        MemorySegment.copy(rows, 0, logitRows, JAVA_INT, 0, count);
        Bt.forwardLogits(handle.get(), logitRows, count, logits);
        queue.sync();
        return count == maxLogitRows ? logits : logits.asSlice(0, 4L * count * vocabulary);
    }

    /** One logit of the last {@link #logits} call: {@code row} counts in that call. */
    public float logit(int row, int token) {
        return logits.getAtIndex(JAVA_FLOAT, (long) row * vocabulary + token);
    }

    /** Copies the logits of one row of the last call. */
    public void copyLogits(int row, float[] to) {
        MemorySegment.copy(logits, JAVA_FLOAT, 4L * row * vocabulary, to, 0, vocabulary);
    }

    public Model model() {
        return model;
    }

    public KvArena arena() {
        return arena;
    }

    public Queue queue() {
        return queue;
    }

    public int maxRows() {
        return maxRows;
    }

    public int maxLogitRows() {
        return maxLogitRows;
    }

    @Override
    public void close() {
        handle.close();
        if (memory.scope().isAlive()) {
            memory.close();
        }
    }
}
