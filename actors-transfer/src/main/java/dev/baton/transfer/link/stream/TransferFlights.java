package dev.baton.transfer.link.stream;

import dev.baton.contract.identity.TransferId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many chunks of each transfer are inside the stream, and which transfers are cancelled. Not thread-safe: its owner's
 * lock also orders offers to the transport before or after a cancel.
 */
final class TransferFlights {
    /** A late offer of a cancelled transfer would read freed blocks, so cancelled ids are remembered well past their life. */
    private static final int REMEMBERED_CANCELS = 4096;

    private final Map<TransferId, Integer> inside = new HashMap<>();
    private final Map<TransferId, Boolean> cancelled = new LinkedHashMap<>();

    boolean isCancelled(TransferId transfer) {
        return cancelled.containsKey(transfer);
    }

    void entered(TransferId transfer) {
        inside.merge(transfer, 1, Integer::sum);
    }

    void left(TransferId transfer) {
        inside.computeIfPresent(transfer, (id, count) -> count == 1 ? null : count - 1);
    }

    void cancel(TransferId transfer) {
        cancelled.put(transfer, true);
        if (cancelled.size() > REMEMBERED_CANCELS) {
            cancelled.keySet().stream()
                    .filter(id -> !inside.containsKey(id))
                    .findFirst()
                    .ifPresent(cancelled::remove);
        }
    }

    int transfersInside() {
        return inside.size();
    }
}
