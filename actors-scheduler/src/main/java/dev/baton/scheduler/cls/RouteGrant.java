package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RouteEpoch;
import dev.baton.scheduler.worker.WorkerRef;

/**
 * A prefill and a decode worker bound together for one request: both or neither. The same worker twice means colocated
 * service without a transfer.
 *
 * @param routeAsk echoes the asking entity's counter, so that a late grant is recognised
 */
public record RouteGrant(long routeAsk, RouteEpoch routeEpoch, WorkerRef prefill, WorkerRef decode) {
    public boolean colocated() {
        return prefill.worker().equals(decode.worker());
    }
}
