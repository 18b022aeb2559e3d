package dev.baton.transfer.credit;

import java.util.Map;

/**
 * A consistent sample of a ledger.
 *
 * @param highWaterBytes most bytes ever in flight
 * @param refusals by reason, every reason present
 */
public record CreditSnapshot(
        long capacityBytes,
        long inflightBytes,
        long highWaterBytes,
        int inflightChunks,
        int openTransfers,
        long acquiredChunks,
        long releasedChunks,
        Map<CreditRefusal, Long> refusals) {

    public CreditSnapshot {
        refusals = Map.copyOf(refusals);
    }
}
