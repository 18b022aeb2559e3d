package dev.baton.decode;

import dev.baton.scheduler.kv.KvBlockPool;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.kv.TrajectoryShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one choice. Choice 0 takes over the blocks that the prompt was received in; the others share its full blocks
 * and copy its tail, which they hold until they end so that nobody overwrites what they have yet to copy.
 */
final class BlockTable {
    private final int[] ids;
    private final List<Integer> held;
    private final SequenceRun.@Nullable TailCopy tailCopy;

    private BlockTable(int[] ids, List<Integer> held, SequenceRun.@Nullable TailCopy tailCopy) {
        this.ids = ids;
        this.held = List.copyOf(held);
        this.tailCopy = tailCopy;
    }

    /** Splits a reservation among its choices and counts each choice as a holder of what it shares. */
    static List<BlockTable> split(KvReservation reservation, TrajectoryShape shape, KvBlockPool pool) {
        List<Integer> shared = reservation.blocks().subList(0, shape.sharedBlocks());
        List<BlockTable> tables = new ArrayList<>();
        for (int choice = 0; choice < shape.choices(); choice++) {
            List<Integer> own = own(reservation, shape, choice);
            List<Integer> table = new ArrayList<>(shared);
            table.addAll(own);
            List<Integer> held = new ArrayList<>(table);
            SequenceRun.TailCopy tail = null;
            if (choice > 0) {
                shared.forEach(block -> pool.share(reservation.id(), block));
                if (shape.hasTail()) {
                    int from = own(reservation, shape, 0).getFirst();
                    pool.share(reservation.id(), from);
                    held.add(from);
                    tail = new SequenceRun.TailCopy(from, own.getFirst());
                }
            }
            tables.add(new BlockTable(table.stream().mapToInt(Integer::intValue).toArray(), held, tail));
        }
        return tables;
    }

    private static List<Integer> own(KvReservation reservation, TrajectoryShape shape, int choice) {
        int from = shape.sharedBlocks() + choice * shape.ownBlocks();
        return reservation.blocks().subList(from, from + shape.ownBlocks());
    }

    int[] ids() {
        return ids;
    }

    /** What the choice gives back when it has left the loop. */
    List<Integer> held() {
        return held;
    }

    Optional<SequenceRun.TailCopy> tailCopy() {
        return Optional.ofNullable(tailCopy);
    }
}
