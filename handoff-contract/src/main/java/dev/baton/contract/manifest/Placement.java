package dev.baton.contract.manifest;

import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;

/**
 * Fourth namespace: from where to where, under which transfer.
 *
 * @param path the link that carries the chunks, for reports; no secret
 */
public record Placement(
        WorkerId source,
        WorkerEpoch sourceEpoch,
        WorkerId destination,
        WorkerEpoch destinationEpoch,
        ReservationId reservation,
        TransferId transfer,
        String path) {}
