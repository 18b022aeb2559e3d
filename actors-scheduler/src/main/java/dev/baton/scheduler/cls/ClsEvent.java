package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.worker.WorkerReport;

/** What a cluster-level scheduler hears. */
public sealed interface ClsEvent {
    record Reported(WorkerReport report, long atNanos) implements ClsEvent {}

    record WorkerLeft(WorkerId worker, WorkerEpoch epoch, long atNanos) implements ClsEvent {}

    record Asked(ClsProtocol.AskRoute ask, long atNanos) implements ClsEvent {}

    record Released(RequestId request, long routeAsk, long atNanos) implements ClsEvent {}

    /** The cluster says that the node is down or removed. */
    record NodeGone(String nodeAddress, long atNanos) implements ClsEvent {}

    /** The failure detector changed its mind about a node. */
    record NodeReachable(String nodeAddress, boolean reachable, long atNanos) implements ClsEvent {}

    record Ticked(long atNanos) implements ClsEvent {}
}
