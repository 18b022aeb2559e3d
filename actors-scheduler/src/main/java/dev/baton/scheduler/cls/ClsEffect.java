package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.request.FailureCause;

/** What a cluster-level scheduler tells requests. */
public sealed interface ClsEffect {
    RequestId request();

    record Grant(RequestId request, RouteGrant grant) implements ClsEffect {}

    record Refuse(RequestId request, long routeAsk, FailureCause cause, long retryAfterMillis) implements ClsEffect {}

    record TellLost(RequestId request, WorkerId worker, WorkerEpoch epoch) implements ClsEffect {}
}
