package dev.baton.scheduler.kv;

import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TransferId;
import java.util.List;

/**
 * Blocks set aside for one leg.
 *
 * @param id unique within the worker epoch
 * @param owner the transfer attempt that the blocks serve
 * @param blocks arena block ids in the order in which the leg uses them
 */
public record KvReservation(ReservationId id, TransferId owner, List<Integer> blocks) {
    public KvReservation {
        blocks = List.copyOf(blocks);
    }
}
