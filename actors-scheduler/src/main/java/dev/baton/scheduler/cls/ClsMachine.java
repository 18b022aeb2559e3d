package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.Machine;
import dev.baton.scheduler.cls.ClsState.Bound;
import dev.baton.scheduler.cls.ClsState.Draft;
import dev.baton.scheduler.cls.ClsState.Granted;
import dev.baton.scheduler.cls.ClsState.Seat;
import dev.baton.scheduler.cls.ClsState.Waiting;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Routing over a table of workers (§0x08E, §0x08F): reports fill it, membership empties it, asks are granted a pair at once
 * or wait first come, first served. What was granted since a worker last spoke is added to its load, so that a burst spreads.
 * The table may be stale: the worker checks every admission again, and a refused request asks again.
 */
public final class ClsMachine implements Machine<ClsState, ClsEvent, ClsEffect, ClsMachine.Refusal> {

    public enum Refusal {
        /** A report of an incarnation that is gone or older than the known one. */
        STALE_EPOCH,
        /** A report that was overtaken by a newer one. */
        STALE_REPORT
    }

    /** Departed incarnations remembered, and bindings whose request never says that it is over. */
    private static final int MOST_GONE = 1024;

    private final ClsLimits limits;

    public ClsMachine(ClsLimits limits) {
        this.limits = limits;
    }

    @Override
    public Decision<ClsState, ClsEffect, Refusal> decide(ClsState state, ClsEvent event) {
        return switch (event) {
            case ClsEvent.Reported reported -> reported(state, reported.report(), reported.atNanos());
            case ClsEvent.WorkerLeft left -> {
                Seat seat = state.workers().get(left.worker());
                if (seat == null || !seat.report().ref().epoch().equals(left.epoch()) || seat.leaving()) {
                    yield Decision.ignored("no such worker");
                }
                Draft draft = new Draft(state);
                draft.workers.put(left.worker(), seat.asLeaving());
                draft.advanceEpoch();
                yield done(draft);
            }
            case ClsEvent.Asked asked -> asked(state, asked.ask(), asked.atNanos());
            case ClsEvent.Released released -> released(state, released);
            case ClsEvent.NodeGone gone -> nodeGone(state, gone.nodeAddress());
            case ClsEvent.NodeReachable changed -> reachable(state, changed);
            case ClsEvent.Ticked(long atNanos) -> {
                if (state.waiting().isEmpty()) {
                    yield Decision.ignored("nobody waits");
                }
                Draft draft = new Draft(state);
                serve(draft, atNanos);
                expire(draft, atNanos);
                yield draft.effects.isEmpty() ? Decision.ignored("nothing is due") : done(draft);
            }
        };
    }

    private static Decision<ClsState, ClsEffect, Refusal> done(Draft draft) {
        return Decision.moved(draft.freeze(), draft.effects);
    }

    // ---- workers ----

    private Decision<ClsState, ClsEffect, Refusal> reported(ClsState state, WorkerReport report, long atNanos) {
        WorkerId worker = report.ref().worker();
        WorkerEpoch epoch = report.ref().epoch();
        WorkerEpoch gone = state.gone().get(worker);
        if (gone != null && gone.compareTo(epoch) >= 0) {
            return Decision.refused(Refusal.STALE_EPOCH);
        }
        Draft draft = new Draft(state);
        Seat known = draft.workers.get(worker);
        int byEpoch = known == null ? -1 : known.report().ref().epoch().compareTo(epoch);
        if (byEpoch > 0) {
            return Decision.refused(Refusal.STALE_EPOCH);
        }
        if (known != null && byEpoch == 0) {
            if (report.sequence() <= known.report().sequence()) {
                return Decision.refused(Refusal.STALE_REPORT);
            }
            if (!known.report().ref().roleEpoch().equals(report.ref().roleEpoch())) {
                draft.advanceEpoch();
            }
            draft.workers.put(worker, known.reported(report, atNanos));
        } else {
            if (known != null) {
                tellLost(draft, worker, known.report().ref().epoch());
            }
            draft.workers.put(worker, new Seat(report, atNanos, true, false, Granted.NOTHING, Granted.NOTHING));
            draft.advanceEpoch();
        }
        serve(draft, atNanos);
        return done(draft);
    }

    private static void tellLost(Draft draft, WorkerId worker, WorkerEpoch epoch) {
        draft.bound.forEach((request, bound) -> {
            if (bound.uses(worker, epoch)) {
                draft.effects.add(new ClsEffect.TellLost(request, worker, epoch));
            }
        });
    }

    private static Decision<ClsState, ClsEffect, Refusal> nodeGone(ClsState state, String nodeAddress) {
        Draft draft = new Draft(state);
        List<Seat> lost = state.workers().values().stream()
                .filter(s -> s.report().nodeAddress().equals(nodeAddress))
                .toList();
        if (lost.isEmpty()) {
            return Decision.ignored("no worker of that node");
        }
        for (Seat seat : lost) {
            WorkerId worker = seat.report().ref().worker();
            WorkerEpoch epoch = seat.report().ref().epoch();
            draft.workers.remove(worker);
            draft.gone.put(worker, epoch);
            tellLost(draft, worker, epoch);
        }
        while (draft.gone.size() > MOST_GONE) {
            draft.gone.remove(draft.gone.firstKey());
        }
        draft.advanceEpoch();
        return done(draft);
    }

    private static Decision<ClsState, ClsEffect, Refusal> reachable(ClsState state, ClsEvent.NodeReachable event) {
        Draft draft = new Draft(state);
        boolean changed = false;
        for (Seat seat : state.workers().values()) {
            if (seat.report().nodeAddress().equals(event.nodeAddress()) && seat.reachable() != event.reachable()) {
                draft.workers.put(seat.report().ref().worker(), seat.reachable(event.reachable()));
                changed = true;
            }
        }
        return changed ? done(draft) : Decision.ignored("nothing changes");
    }

    private Predicate<Seat> alive(long atNanos) {
        return seat -> seat.reachable()
                && !seat.leaving()
                && atNanos - seat.heardAtNanos() <= limits.reportTimeout().toNanos();
    }

    // ---- requests ----

    private Decision<ClsState, ClsEffect, Refusal> asked(ClsState state, ClsProtocol.AskRoute ask, long atNanos) {
        RequestId request = ask.request();
        Bound bound = state.bound().get(request);
        if (bound != null && bound.ask().routeAsk() == ask.routeAsk()) {
            // The grant may have been lost; it is the same grant.
            return Decision.moved(state, new ClsEffect.Grant(request, bound.grant()));
        }
        Optional<Waiting> waiting = state.waiting().stream()
                .filter(w -> w.ask().request().equals(request))
                .findFirst();
        long known = Math.max(
                bound == null ? 0 : bound.ask().routeAsk(),
                waiting.map(w -> w.ask().routeAsk()).orElse(0L));
        if (known >= ask.routeAsk()) {
            return Decision.ignored("known ask");
        }
        Draft draft = new Draft(state);
        draft.bound.remove(request);
        waiting.ifPresent(draft.waiting::remove);
        if (new PairChoice(ask, draft.workers.values(), alive(atNanos)).verdict() == PairChoice.Verdict.NEVER_FITS) {
            draft.effects.add(new ClsEffect.Refuse(request, ask.routeAsk(), FailureCause.TOO_LARGE, 0));
            return done(draft);
        }
        draft.waiting.add(new Waiting(ask, atNanos + ask.waitMillis() * 1_000_000L));
        serve(draft, atNanos);
        if (draft.waiting.size() > limits.maxWaiting()) {
            draft.waiting.removeLast();
            draft.effects.add(overloaded(ask));
        }
        return done(draft);
    }

    private ClsEffect overloaded(ClsProtocol.AskRoute ask) {
        return new ClsEffect.Refuse(
                ask.request(),
                ask.routeAsk(),
                FailureCause.OVERLOADED,
                limits.retryAfter().toMillis());
    }

    private Decision<ClsState, ClsEffect, Refusal> released(ClsState state, ClsEvent.Released event) {
        Draft draft = new Draft(state);
        boolean waited = draft.waiting.removeIf(
                w -> w.ask().request().equals(event.request()) && w.ask().routeAsk() <= event.routeAsk());
        Bound bound = draft.bound.get(event.request());
        boolean held = bound != null && bound.ask().routeAsk() <= event.routeAsk();
        if (held) {
            draft.bound.remove(event.request());
        }
        if (!waited && !held) {
            return Decision.ignored("nothing is held");
        }
        serve(draft, event.atNanos());
        return done(draft);
    }

    /**
     * Grants in order of arrival. An ask that has to wait for room holds up all after it; one for which no worker plays the
     * role at all does not.
     */
    private void serve(Draft draft, long atNanos) {
        List<Waiting> left = new ArrayList<>();
        boolean blocked = false;
        for (Waiting waiting : draft.waiting) {
            if (blocked) {
                left.add(waiting);
                continue;
            }
            ClsProtocol.AskRoute ask = waiting.ask();
            PairChoice choice = new PairChoice(ask, draft.workers.values(), alive(atNanos));
            Optional<PairChoice.Pair> best = choice.best();
            if (best.isPresent()) {
                grant(draft, ask, choice, best.get());
                continue;
            }
            PairChoice.Verdict verdict = choice.verdict();
            if (verdict == PairChoice.Verdict.NEVER_FITS) {
                draft.effects.add(new ClsEffect.Refuse(ask.request(), ask.routeAsk(), FailureCause.TOO_LARGE, 0));
                continue;
            }
            blocked = verdict == PairChoice.Verdict.WAITS;
            left.add(waiting);
        }
        draft.waiting.clear();
        draft.waiting.addAll(left);
    }

    private static void grant(Draft draft, ClsProtocol.AskRoute ask, PairChoice choice, PairChoice.Pair pair) {
        WorkerId prefill = pair.prefill().report().ref().worker();
        WorkerId decode = pair.decode().report().ref().worker();
        draft.workers.computeIfPresent(prefill, (id, seat) -> seat.granting(choice.onPrefill()));
        draft.workers.computeIfPresent(decode, (id, seat) -> seat.granting(choice.onDecode(pair)));
        RouteGrant grant = new RouteGrant(
                ask.routeAsk(),
                draft.routeEpoch(),
                pair.prefill().report().ref(),
                pair.decode().report().ref());
        draft.bound.put(ask.request(), new Bound(ask, grant));
        draft.effects.add(new ClsEffect.Grant(ask.request(), grant));
    }

    private void expire(Draft draft, long atNanos) {
        List<Waiting> left = new ArrayList<>();
        for (Waiting waiting : draft.waiting) {
            if (atNanos < waiting.giveUpAtNanos()) {
                left.add(waiting);
                continue;
            }
            ClsProtocol.AskRoute ask = waiting.ask();
            boolean noRole =
                    new PairChoice(ask, draft.workers.values(), alive(atNanos)).verdict() == PairChoice.Verdict.NO_ROLE;
            draft.effects.add(
                    noRole
                            ? new ClsEffect.Refuse(ask.request(), ask.routeAsk(), FailureCause.NO_WORKER, 0)
                            : overloaded(ask));
        }
        draft.waiting.clear();
        draft.waiting.addAll(left);
    }
}
