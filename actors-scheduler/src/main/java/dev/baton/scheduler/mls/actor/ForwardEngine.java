package dev.baton.scheduler.mls.actor;

import dev.baton.kernels.forward.Batch;
import dev.baton.kernels.forward.ForwardPass;
import dev.baton.scheduler.kv.BlockMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** The real device: a {@link ForwardPass} and the blocks of its arena. Closes the forward pass, not the arena. */
public final class ForwardEngine implements BatchEngine, BlockMemory {
    private static final int NONE = -1;

    private final ForwardPass pass;
    private final int blockTokens;
    private final long rowBytes;
    private final Batch batch = new Batch();
    private final int[] logitRows;

    /** Per sequence of the batch: which logit row is its, or none. */
    private int[] logitRowOf = {};

    private int logitCount;
    private int groupStart = NONE;
    private MemorySegment group = MemorySegment.NULL;

    public ForwardEngine(ForwardPass pass) {
        this.pass = pass;
        this.blockTokens = pass.arena().shape().blockTokens();
        this.rowBytes = (long) Float.BYTES * pass.model().config().vocabulary();
        this.logitRows = new int[pass.maxRows()];
    }

    @Override
    public int layers() {
        return pass.model().config().layers();
    }

    @Override
    public int maxRows() {
        return pass.maxRows();
    }

    @Override
    public void begin(List<SequenceRows> sequences) {
        batch.clear();
        logitRowOf = new int[sequences.size()];
        Arrays.fill(logitRowOf, NONE);
        logitCount = 0;
        groupStart = NONE;
        for (int s = 0; s < sequences.size(); s++) {
            SequenceRows rows = sequences.get(s);
            int sequence = batch.addSequence(rows.blockTable(), Math.ceilDiv(rows.endPosition(), blockTokens));
            int last = NONE;
            for (int i = 0; i < rows.tokens().length; i++) {
                last = batch.addRow(rows.tokens()[i], rows.firstPosition() + i, sequence);
            }
            if (rows.wantsLogits()) {
                logitRowOf[s] = logitCount;
                logitRows[logitCount++] = last;
            }
        }
        pass.begin(batch);
        pass.embed();
    }

    @Override
    public void layer(int layer) {
        pass.layer(layer);
        pass.queue().sync();
    }

    @Override
    public void finish() {
        groupStart = NONE;
    }

    /** Computes as many rows at once as the forward pass has room for, when the first of them is asked for. */
    @Override
    public MemorySegment logits(int index) {
        int row = logitRowOf[index];
        if (row == NONE) {
            throw new IllegalArgumentException("sequence " + index + " of the batch asked for no logits");
        }
        int start = row - row % pass.maxLogitRows();
        if (start != groupStart) {
            int count = Math.min(pass.maxLogitRows(), logitCount - start);
            group = pass.logits(Arrays.copyOfRange(logitRows, start, start + count), count);
            groupStart = start;
        }
        return group.asSlice((row - start) * rowBytes, rowBytes);
    }

    @Override
    public void zero(int block) {
        pass.arena().zeroBlock(block);
        pass.arena().device().queue().sync();
    }

    @Override
    public void copy(int from, int to) {
        pass.arena().copyBlock(from, to);
        pass.arena().device().queue().sync();
    }

    @Override
    public void close() {
        pass.close();
    }
}
