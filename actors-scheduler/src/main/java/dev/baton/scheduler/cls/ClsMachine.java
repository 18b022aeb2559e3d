package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.machine.Decision;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The cluster-level scheduler of one model (§0x08F): a table of workers as they last reported, the routes it granted, and a
 * bounded first-come queue of requests that wait for capacity.
 *
 * <p>A route binds prefill and decode together or not at all. Prefill goes to the shortest queue counted in pending tokens, decode
 * to the worker with the most free blocks; what was granted since a worker's last report counts as if it had reported it, so
 * a burst does not land on one worker. The table may be stale; the worker checks every admission again.
 */
public final class ClsMachine {

    private ClsMachine() {}

    /**
     * @param workers by name, the newest incarnation only
     * @param bound granted and not released, by request
     * @param waiting asks without an answer, oldest first
     */
    public record State(
            ClsConfig config,
            RouteEpoch routeEpoch,
            SortedMap<WorkerId, Worker> workers,
            Map<RequestId, Bound> bound,
            Map<RequestId, Waiting> waiting) {
        public State {
            workers = Collections.unmodifiableSortedMap(workers);
            bound = Collections.unmodifiableMap(bound);
            waiting = Collections.unmodifiableMap(waiting);
        }

        public static State empty(ClsConfig config) {
            return new State(config, RouteEpoch.FIRST, new TreeMap<>(), Map.of(), Map.of());
        }
    }

    /**
     * @param reachable false while the failure detector doubts its node
     * @param reportedNanos when the last report came
     * @param grantedTokens prompt tokens granted since then
     * @param grantedBlocks blocks granted since then
     */
    public record Worker(
            WorkerReport report, boolean reachable, long reportedNanos, long grantedTokens, long grantedBlocks) {
        long pendingTokens() {
            return report.pendingPrefillTokens() + grantedTokens;
        }

        long freeBlocks() {
            return report.freeBlocks() - grantedBlocks;
        }

        Worker granting(long tokens, long blocks) {
            return new Worker(report, reachable, reportedNanos, grantedTokens + tokens, grantedBlocks + blocks);
        }

        Worker reachable(boolean now) {
            return new Worker(report, now, reportedNanos, grantedTokens, grantedBlocks);
        }
    }

    public record Bound(
            long routeAsk, WorkerId prefill, WorkerEpoch prefillEpoch, WorkerId decode, WorkerEpoch decodeEpoch) {
        boolean uses(WorkerId worker, WorkerEpoch epoch) {
            return (prefill.equals(worker) && prefillEpoch.equals(epoch))
                    || (decode.equals(worker) && decodeEpoch.equals(epoch));
        }
    }

    public record Waiting(ClsProtocol.AskRoute ask, long deadlineNanos) {}

    public sealed interface Event {
        record RouteAsked(ClsProtocol.AskRoute ask, long atNanos) implements Event {}

        record RouteReleased(RequestId request, long routeAsk, long atNanos) implements Event {}

        record WorkerReported(WorkerReport report, long atNanos) implements Event {}

        /** The worker said goodbye, or the cluster removed its node. */
        record WorkerGone(WorkerId worker, WorkerEpoch epoch, long atNanos) implements Event {}

        record ReachabilityChanged(String nodeAddress, boolean reachable, long atNanos) implements Event {}

        record NodeRemoved(String nodeAddress, long atNanos) implements Event {}

        record Ticked(long atNanos) implements Event {}
    }

    public sealed interface Effect {
        record Grant(RequestId request, RouteGrant grant) implements Effect {}

        record Refuse(RequestId request, long routeAsk, FailureCause cause, long retryAfterMillis) implements Effect {}

        record TellWorkerLost(RequestId request, WorkerId worker, WorkerEpoch epoch) implements Effect {}
    }

    public enum Refusal {
        /** A report of an incarnation that a newer one has replaced. */
        REPORT_OF_OLD_EPOCH,
        /** A report that another one has overtaken. */
        REPORT_OUT_OF_ORDER
    }

    public static Decision<State, Effect, Refusal> decide(State state, Event event) {
        return switch (event) {
            case Event.RouteAsked e -> asked(state, e);
            case Event.RouteReleased e -> released(state, e);
            case Event.WorkerReported e -> reported(state, e);
            case Event.WorkerGone e -> {
                Worker known = state.workers().get(e.worker());
                yield known == null || !known.report().ref().epoch().equals(e.epoch())
                        ? Decision.ignored("unknown incarnation")
                        : gone(state, List.of(known), e.atNanos());
            }
            case Event.NodeRemoved e -> {
                List<Worker> lost = at(state, e.nodeAddress());
                yield lost.isEmpty() ? Decision.ignored("no worker there") : gone(state, lost, e.atNanos());
            }
            case Event.ReachabilityChanged e -> reachability(state, e);
            case Event.Ticked e -> settle(new Draft(state), e.atNanos());
        };
    }

    private static Decision<State, Effect, Refusal> asked(State state, Event.RouteAsked e) {
        ClsProtocol.AskRoute ask = e.ask();
        Bound bound = state.bound().get(ask.request());
        Waiting waits = state.waiting().get(ask.request());
        if ((bound != null && bound.routeAsk() >= ask.routeAsk())
                || (waits != null && waits.ask().routeAsk() >= ask.routeAsk())) {
            return Decision.ignored("asked already");
        }
        Draft draft = new Draft(state);
        draft.bound.remove(ask.request());
        draft.waiting.remove(ask.request());
        if (draft.waiting.size() >= state.config().maxWaiting()) {
            draft.refuse(ask, FailureCause.OVERLOADED);
            return Decision.moved(draft.state(), draft.effects);
        }
        draft.waiting.put(ask.request(), new Waiting(ask, e.atNanos() + ask.waitMillis() * 1_000_000));
        return settle(draft, e.atNanos());
    }

    private static Decision<State, Effect, Refusal> released(State state, Event.RouteReleased e) {
        Bound bound = state.bound().get(e.request());
        Waiting waits = state.waiting().get(e.request());
        boolean holds = bound != null && bound.routeAsk() <= e.routeAsk();
        boolean queues = waits != null && waits.ask().routeAsk() <= e.routeAsk();
        if (!holds && !queues) {
            return Decision.ignored("nothing held");
        }
        Draft draft = new Draft(state);
        if (holds) {
            draft.bound.remove(e.request());
        }
        if (queues) {
            draft.waiting.remove(e.request());
        }
        return settle(draft, e.atNanos());
    }

    private static Decision<State, Effect, Refusal> reported(State state, Event.WorkerReported e) {
        WorkerReport report = e.report();
        Worker known = state.workers().get(report.ref().worker());
        Draft draft = new Draft(state);
        if (known != null) {
            int age = report.ref().epoch().compareTo(known.report().ref().epoch());
            if (age < 0) {
                return Decision.refused(Refusal.REPORT_OF_OLD_EPOCH);
            }
            if (age == 0 && report.sequence() <= known.report().sequence()) {
                return Decision.refused(Refusal.REPORT_OUT_OF_ORDER);
            }
            if (age > 0) {
                draft.lose(known);
            }
        }
        draft.workers.put(report.ref().worker(), new Worker(report, true, e.atNanos(), 0, 0));
        return settle(draft, e.atNanos());
    }

    private static Decision<State, Effect, Refusal> gone(State state, List<Worker> lost, long atNanos) {
        Draft draft = new Draft(state);
        lost.forEach(draft::lose);
        return settle(draft, atNanos);
    }

    private static Decision<State, Effect, Refusal> reachability(State state, Event.ReachabilityChanged e) {
        List<Worker> there = at(state, e.nodeAddress());
        if (there.isEmpty()) {
            return Decision.ignored("no worker there");
        }
        Draft draft = new Draft(state);
        there.forEach(worker -> draft.workers.put(worker.report().ref().worker(), worker.reachable(e.reachable())));
        return settle(draft, e.atNanos());
    }

    private static List<Worker> at(State state, String nodeAddress) {
        return state.workers().values().stream()
                .filter(worker -> worker.report().nodeAddress().equals(nodeAddress))
                .toList();
    }

    /** Answers whoever can be answered: oldest first, and nobody overtakes a request that only lacks capacity. */
    private static Decision<State, Effect, Refusal> settle(Draft draft, long atNanos) {
        boolean capacityShort = false;
        for (Iterator<Waiting> queue = draft.waiting.values().iterator(); queue.hasNext(); ) {
            Waiting waits = queue.next();
            ClsProtocol.AskRoute ask = waits.ask();
            if (draft.neverFits(ask)) {
                queue.remove();
                draft.refuse(ask, FailureCause.TOO_LARGE);
                continue;
            }
            Optional<RouteGrant> grant = capacityShort ? Optional.empty() : draft.bind(ask, atNanos);
            if (grant.isPresent()) {
                queue.remove();
                draft.effects.add(new Effect.Grant(ask.request(), grant.get()));
            } else if (atNanos >= waits.deadlineNanos()) {
                queue.remove();
                draft.refuse(ask, draft.hasWorkersFor(ask, atNanos) ? FailureCause.OVERLOADED : FailureCause.NO_WORKER);
            } else if (draft.hasWorkersFor(ask, atNanos)) {
                capacityShort = true;
            }
        }
        return Decision.moved(draft.state(), draft.effects);
    }

    /** A state under change within one decision. */
    private static final class Draft {
        private final ClsConfig config;
        private RouteEpoch routeEpoch;
        private final SortedMap<WorkerId, Worker> workers;
        private final Map<RequestId, Bound> bound;
        private final Map<RequestId, Waiting> waiting;
        private final List<Effect> effects = new ArrayList<>();

        Draft(State state) {
            config = state.config();
            routeEpoch = state.routeEpoch();
            workers = new TreeMap<>(state.workers());
            bound = new LinkedHashMap<>(state.bound());
            waiting = new LinkedHashMap<>(state.waiting());
        }

        State state() {
            return new State(config, routeEpoch, workers, bound, waiting);
        }

        void refuse(ClsProtocol.AskRoute ask, FailureCause cause) {
            long retryAfterMillis =
                    cause == FailureCause.TOO_LARGE ? 0 : config.retryAfter().toMillis();
            effects.add(new Effect.Refuse(ask.request(), ask.routeAsk(), cause, retryAfterMillis));
        }

        void lose(Worker lost) {
            WorkerId worker = lost.report().ref().worker();
            WorkerEpoch epoch = lost.report().ref().epoch();
            workers.remove(worker);
            routeEpoch = routeEpoch.next();
            bound.forEach((request, route) -> {
                if (route.uses(worker, epoch)) {
                    effects.add(new Effect.TellWorkerLost(request, worker, epoch));
                }
            });
            bound.values().removeIf(route -> route.uses(worker, epoch));
        }

        /** Whether no present decode worker could hold the trajectory even when empty. Unknown while there is none. */
        boolean neverFits(ClsProtocol.AskRoute ask) {
            Collection<Worker> decoders = workers.values().stream()
                    .filter(worker -> worker.report().role().decodes())
                    .toList();
            return !decoders.isEmpty()
                    && decoders.stream()
                            .allMatch(worker ->
                                    blocks(ask, worker) > worker.report().totalBlocks()
                                            || ask.promptTokens() + ask.growthTokensPerChoice()
                                                    > worker.report().contextTokens());
        }

        boolean hasWorkersFor(ClsProtocol.AskRoute ask, long atNanos) {
            return ask.colocated()
                    ? usable(atNanos, worker -> servesAlone(worker)).findAny().isPresent()
                    : (usable(atNanos, worker -> servesAlone(worker)).findAny().isPresent()
                            || (usable(atNanos, worker -> worker.report().role().prefills())
                                            .findAny()
                                            .isPresent()
                                    && usable(
                                                    atNanos,
                                                    worker -> worker.report()
                                                            .role()
                                                            .decodes())
                                            .findAny()
                                            .isPresent()));
        }

        Optional<RouteGrant> bind(ClsProtocol.AskRoute ask, long atNanos) {
            Optional<Worker> decode = usable(
                            atNanos,
                            worker -> worker.report().role().decodes()
                                    && (!ask.colocated() || servesAlone(worker))
                                    && blocks(ask, worker) <= worker.freeBlocks())
                    .min(avoiding(ask)
                            .thenComparing(
                                    Comparator.comparingLong(Worker::freeBlocks).reversed())
                            .thenComparing(ClsMachine::name));
            if (decode.isEmpty()) {
                return Optional.empty();
            }
            Worker d = decode.get();
            Optional<Worker> prefill = ask.colocated() || d.report().role() == Role.COLOCATED
                    ? decode
                    : usable(
                                    atNanos,
                                    worker -> worker.report().role().prefills()
                                            && worker.report().role() != Role.COLOCATED
                                            && (worker == d || promptBlocks(ask, worker) <= worker.freeBlocks()))
                            .min(avoiding(ask)
                                    .thenComparingLong(Worker::pendingTokens)
                                    .thenComparing(ClsMachine::name));
            return prefill.map(p -> grant(ask, p, d));
        }

        private RouteGrant grant(ClsProtocol.AskRoute ask, Worker prefill, Worker decode) {
            WorkerId p = prefill.report().ref().worker();
            WorkerId d = decode.report().ref().worker();
            boolean alone = p.equals(d);
            workers.computeIfPresent(
                    p, (_, worker) -> worker.granting(ask.promptTokens(), alone ? 0 : promptBlocks(ask, worker)));
            workers.computeIfPresent(d, (_, worker) -> worker.granting(0, blocks(ask, worker)));
            bound.put(
                    ask.request(),
                    new Bound(
                            ask.routeAsk(),
                            p,
                            prefill.report().ref().epoch(),
                            d,
                            decode.report().ref().epoch()));
            return new RouteGrant(
                    ask.routeAsk(),
                    routeEpoch,
                    prefill.report().ref(),
                    decode.report().ref());
        }

        private Stream<Worker> usable(long atNanos, Predicate<Worker> fits) {
            return workers.values().stream()
                    .filter(Worker::reachable)
                    .filter(worker -> atNanos - worker.reportedNanos()
                            < config.reportTimeout().toNanos())
                    .filter(fits);
        }
    }

    private static boolean servesAlone(Worker worker) {
        return worker.report().role().prefills() && worker.report().role().decodes();
    }

    /** Workers that just failed this request come last, but come: it may be the only one. */
    private static Comparator<Worker> avoiding(ClsProtocol.AskRoute ask) {
        return Comparator.comparing(
                worker -> ask.avoid().contains(worker.report().ref().worker()));
    }

    private static String name(Worker worker) {
        return worker.report().ref().worker().value();
    }

    private static long promptBlocks(ClsProtocol.AskRoute ask, Worker worker) {
        return worker.report().abi().blocksFor(ask.promptTokens());
    }

    /** Blocks of the whole trajectory: full prompt blocks are shared by all choices, the rest is each choice's own. */
    private static long blocks(ClsProtocol.AskRoute ask, Worker worker) {
        int blockTokens = worker.report().abi().blockTokens();
        long shared = ask.promptTokens() / blockTokens;
        long whole = worker.report().abi().blocksFor(ask.promptTokens() + ask.growthTokensPerChoice());
        return shared + ask.choices() * (whole - shared);
    }
}
