package dev.baton.decode;

import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.kv.TrajectoryShape;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerContext;
import java.util.ArrayList;
import java.util.List;

/** The sequences of one leg: their block tables from the moment the K/V is theirs, their works on the loop. */
public final class DecodeSequences {
    private final WorkerContext context;
    private final LegTokens tokens;
    private final KvReservation reservation;
    private final TrajectoryShape shape;
    private final SequenceRun.Listener listener;
    private final long[] workIds;
    private List<BlockTable> tables = List.of();
    private List<Integer> firstTokens = List.of();

    public DecodeSequences(
            WorkerContext context,
            LegTokens tokens,
            KvReservation reservation,
            TrajectoryShape shape,
            SequenceRun.Listener listener) {
        this.context = context;
        this.tokens = tokens;
        this.reservation = reservation;
        this.shape = shape;
        this.listener = listener;
        this.workIds = new long[tokens.choices()];
    }

    /** Splits the blocks among the choices; once. */
    public void takeOver(List<Integer> sampledFirst) {
        if (!tables.isEmpty()) {
            throw new IllegalStateException("the blocks of reservation " + reservation.id() + " were taken over twice");
        }
        firstTokens = List.copyOf(sampledFirst);
        tables = BlockTable.split(reservation, shape, context.pool());
    }

    public boolean goesOn(int index, int token) {
        return SequenceRun.goesOn(tokens, index, token);
    }

    /** @return false when the loop takes no more work */
    public boolean start(int choice) {
        workIds[choice] = context.loop().newWorkId();
        return context.loop()
                .add(new SequenceRun(
                        workIds[choice],
                        choice,
                        tokens,
                        tables.get(choice),
                        firstTokens.get(choice),
                        context.vocabulary(),
                        context.memory(),
                        listener));
    }

    public void stop(int choice) {
        context.loop().remove(workIds[choice]);
    }

    /** The choice has left the loop, or never was there. */
    public void release(int choice) {
        context.pool().release(reservation.id(), tables.get(choice).held());
    }

    public void releaseAll() {
        List<Integer> all = new ArrayList<>();
        tables.forEach(table -> all.addAll(table.held()));
        context.pool().release(reservation.id(), all);
    }
}
