package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a cluster-level scheduler believes. Nothing of it is durable: reports rebuild the table within a second of a move.
 *
 * @param workers seats by worker
 * @param gone newest epoch of each worker that left the cluster: its late reports count for nothing
 * @param waiting asks in order of arrival
 * @param bound what each request was granted
 */
public record ClsState(
        SortedMap<WorkerId, Seat> workers,
        SortedMap<WorkerId, WorkerEpoch> gone,
        List<Waiting> waiting,
        SortedMap<RequestId, Bound> bound,
        RouteEpoch routeEpoch) {

    public ClsState {
        workers = Collections.unmodifiableSortedMap(new TreeMap<>(workers));
        gone = Collections.unmodifiableSortedMap(new TreeMap<>(gone));
        waiting = List.copyOf(waiting);
        bound = Collections.unmodifiableSortedMap(new TreeMap<>(bound));
    }

    /** @param routeEpoch above that of every earlier incarnation */
    public static ClsState empty(RouteEpoch routeEpoch) {
        return new ClsState(new TreeMap<>(), new TreeMap<>(), List.of(), new TreeMap<>(), routeEpoch);
    }

    /** Load that was granted to a worker and may not be in its reports yet. */
    public record Granted(long prefillTokens, int decodes, int blocks) {
        static final Granted NOTHING = new Granted(0, 0, 0);

        Granted plus(Granted more) {
            return new Granted(prefillTokens + more.prefillTokens, decodes + more.decodes, blocks + more.blocks);
        }
    }

    /**
     * One worker.
     *
     * @param grantedNow granted since the newest report
     * @param grantedBefore granted between the last two reports: the newest may have left before the worker heard of it
     */
    public record Seat(
            WorkerReport report,
            long heardAtNanos,
            boolean reachable,
            boolean leaving,
            Granted grantedNow,
            Granted grantedBefore) {

        Granted granted() {
            return grantedNow.plus(grantedBefore);
        }

        long prefillTokens() {
            return report.pendingPrefillTokens() + granted().prefillTokens();
        }

        int decodes() {
            return report.runningDecodes() + granted().decodes();
        }

        int freeBlocks() {
            return report.freeBlocks() - granted().blocks();
        }

        Seat granting(Granted more) {
            return new Seat(report, heardAtNanos, reachable, leaving, grantedNow.plus(more), grantedBefore);
        }

        Seat reported(WorkerReport newer, long atNanos) {
            return new Seat(newer, atNanos, reachable, leaving, Granted.NOTHING, grantedNow);
        }

        Seat reachable(boolean now) {
            return new Seat(report, heardAtNanos, now, leaving, grantedNow, grantedBefore);
        }

        Seat asLeaving() {
            return new Seat(report, heardAtNanos, reachable, true, grantedNow, grantedBefore);
        }
    }

    public record Waiting(ClsProtocol.AskRoute ask, long giveUpAtNanos) {}

    public record Bound(ClsProtocol.AskRoute ask, RouteGrant grant) {
        boolean uses(WorkerId worker, WorkerEpoch epoch) {
            return (grant.prefill().worker().equals(worker)
                            && grant.prefill().epoch().equals(epoch))
                    || (grant.decode().worker().equals(worker)
                            && grant.decode().epoch().equals(epoch));
        }
    }

    /** A working copy: one decision edits it and freezes it again. */
    static final class Draft {
        final SortedMap<WorkerId, Seat> workers;
        final SortedMap<WorkerId, WorkerEpoch> gone;
        final List<Waiting> waiting;
        final SortedMap<RequestId, Bound> bound;
        final List<ClsEffect> effects = new ArrayList<>();
        private RouteEpoch routeEpoch;

        Draft(ClsState state) {
            workers = new TreeMap<>(state.workers);
            gone = new TreeMap<>(state.gone);
            waiting = new ArrayList<>(state.waiting);
            bound = new TreeMap<>(state.bound);
            routeEpoch = state.routeEpoch;
        }

        RouteEpoch routeEpoch() {
            return routeEpoch;
        }

        /** Membership or roles changed: routes made before are of an older epoch. */
        void advanceEpoch() {
            routeEpoch = routeEpoch.next();
        }

        ClsState freeze() {
            return new ClsState(workers, gone, waiting, bound, routeEpoch);
        }
    }
}
