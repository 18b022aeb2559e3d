package dev.baton.scheduler.request;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.Machine;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.request.RequestEffect.AcceptTokens;
import dev.baton.scheduler.request.RequestEffect.AskRoute;
import dev.baton.scheduler.request.RequestEffect.CancelPrefill;
import dev.baton.scheduler.request.RequestEffect.Emit;
import dev.baton.scheduler.request.RequestEffect.EndChoice;
import dev.baton.scheduler.request.RequestEffect.ReleaseDecode;
import dev.baton.scheduler.request.RequestEffect.ReleaseRoute;
import dev.baton.scheduler.request.RequestEffect.ReserveDecode;
import dev.baton.scheduler.request.RequestEffect.StartColocated;
import dev.baton.scheduler.request.RequestEffect.StartPrefill;
import dev.baton.scheduler.request.RequestState.Ended;
import dev.baton.scheduler.request.RequestState.Live;
import dev.baton.scheduler.request.RequestState.New;
import dev.baton.scheduler.request.RequestState.Open;
import dev.baton.scheduler.request.RequestState.Reserving;
import dev.baton.scheduler.request.RequestState.Resting;
import dev.baton.scheduler.request.RequestState.Routing;
import dev.baton.scheduler.worker.LegRefusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The two-phase life of one request (§0x00A): {@code New -> Routing -> Reserving -> Prefilling -> PrefillComputeComplete ->
 * Decoding -> Finished | Cancelled | Failed}, with {@code KvReady} where publication overtakes the first tokens and {@code
 * Resting} between a refusal and the next ask. The pair is bound all or nothing: the destination reserves first, the source
 * starts under its manifest, a refusal of either releases both. A leg that had begun and failed raises the generation, and
 * the request continues from prompt plus tokens given: all choices in one leg while none has a token, else one after another.
 * No state but the terminal ones may keep anything bound without a deadline; the terminal ones keep nothing bound.
 */
public final class RequestMachine
        implements Machine<RequestState, RequestEvent, RequestEffect, RequestMachine.Refusal> {

    public enum Refusal {
        TENANT,
        REQUEST,
        GENERATION,
        ATTEMPT,
        SOURCE_EPOCH,
        DESTINATION_EPOCH,
        RESERVATION,
        /** A manifest that names another fence or other tokens than the reservation it comes with. */
        MANIFEST,
        /** Tokens beyond the next index. */
        TOKEN_GAP,
        FIRST_TOKEN_INDEX,
        NO_SUCH_CHOICE,
        /** No leg of this request is in a phase that sends this. */
        OUT_OF_PHASE,
        ANOTHER_SPEC
    }

    private static final Duration LONGEST_REST = Duration.ofSeconds(1);

    private final RequestLimits limits;
    private final Function<ModelId, Vocabulary> vocabularies;

    public RequestMachine(RequestLimits limits, Function<ModelId, Vocabulary> vocabularies) {
        this.limits = limits;
        this.vocabularies = vocabularies;
    }

    /** When the state wants {@link RequestEvent.Ticked}; empty in states without a deadline (new and ended). */
    public static OptionalLong dueAtNanos(RequestState state) {
        return state instanceof Open open
                ? OptionalLong.of(Math.min(open.dueAtNanos(), open.progress().deadlineNanos()))
                : OptionalLong.empty();
    }

    @Override
    public Decision<RequestState, RequestEffect, Refusal> decide(RequestState state, RequestEvent event) {
        return switch (state) {
            case New fresh -> fresh(event);
            case Open open -> lateReservation(open.progress(), open, event).orElseGet(() -> open(open, event));
            case Ended ended -> lateReservation(ended.progress(), ended, event).orElseGet(() -> ended(ended, event));
        };
    }

    private Decision<RequestState, RequestEffect, Refusal> fresh(RequestEvent event) {
        return event instanceof RequestEvent.Submitted(RequestSpec spec, long atNanos)
                ? ask(Progress.begin(spec, atNanos), new ArrayList<>(), atNanos)
                : Decision.ignored("no such request");
    }

    private static Decision<RequestState, RequestEffect, Refusal> ended(Ended state, RequestEvent event) {
        return event instanceof RequestEvent.Submitted again
                        && !again.spec().equals(state.progress().spec())
                ? Decision.refused(Refusal.ANOTHER_SPEC)
                : Decision.ignored("request ended");
    }

    /** A destination that reserved for a binding that was left meanwhile is told so; nothing else would free its blocks soon. */
    private static Optional<Decision<RequestState, RequestEffect, Refusal>> lateReservation(
            Progress progress, RequestState state, RequestEvent event) {
        if (!(event instanceof RequestEvent.DecodeReserved) && !(event instanceof RequestEvent.ColocatedAccepted)) {
            return Optional.empty();
        }
        Fence fence = ((RequestEvent.FromWorker) event).fence();
        return progress.abandoned().stream()
                .filter(left -> left.mismatch(fence).isEmpty())
                .findFirst()
                .map(left -> Decision.moved(
                        RequestState.with(state, progress.settled(left)),
                        new ReleaseDecode(left.decode(), fence, "superseded")));
    }

    private Decision<RequestState, RequestEffect, Refusal> open(Open state, RequestEvent event) {
        return switch (event) {
            case RequestEvent.Submitted again ->
                again.spec().equals(state.progress().spec())
                        ? Decision.ignored("already submitted")
                        : Decision.refused(Refusal.ANOTHER_SPEC);
            case RequestEvent.CancelRequested cancel -> {
                List<RequestEffect> effects = new ArrayList<>();
                yield end(new RequestState.Cancelled(leave(state, "cancelled", effects)), effects);
            }
            case RequestEvent.Ticked(long atNanos) -> ticked(state, atNanos);
            case RequestEvent.Recovered(long atNanos) -> {
                List<RequestEffect> effects = new ArrayList<>();
                Progress left = leave(state, "owner_recovered", effects);
                yield ask(left.failedBy(List.of(), 0), effects, atNanos);
            }
            case RequestEvent.RouteGranted granted -> granted(state, granted.grant(), granted.atNanos());
            case RequestEvent.RouteRefused refused -> {
                if (!(state instanceof Routing)
                        || refused.routeAsk() != state.progress().routeAsk()) {
                    yield Decision.ignored("another route ask");
                }
                yield end(new RequestState.Failed(state.progress(), refused.cause()), new ArrayList<>());
            }
            case RequestEvent.WorkerLost lost ->
                bound(state)
                        .filter(b -> b.dependsOn(lost.worker(), lost.epoch()))
                        .map(b -> state instanceof Reserving
                                ? refused(state, List.of(lost.worker()), lost.atNanos())
                                : failed(state, List.of(lost.worker()), lost.atNanos()))
                        .orElseGet(() -> Decision.ignored("not bound to that worker"));
            case RequestEvent.FromWorker message -> fenced(state, message);
        };
    }

    private static Optional<Binding> bound(Open state) {
        return switch (state) {
            case Routing routing -> Optional.empty();
            case Resting resting -> Optional.empty();
            case Reserving reserving -> Optional.of(reserving.binding());
            case Live live -> Optional.of(live.binding());
        };
    }

    private Decision<RequestState, RequestEffect, Refusal> fenced(Open state, RequestEvent.FromWorker message) {
        Optional<Binding> bound = bound(state);
        if (bound.isEmpty()) {
            // Between bindings nothing that a worker says is current; only the future is impossible.
            return message.fence().generation().compareTo(state.progress().generation()) > 0
                    ? Decision.refused(Refusal.GENERATION)
                    : Decision.ignored("stale");
        }
        Optional<FenceField> mismatch = bound.get().mismatch(message.fence());
        if (mismatch.isPresent()) {
            boolean stale = (mismatch.get() == FenceField.GENERATION || mismatch.get() == FenceField.ATTEMPT)
                    && bound.get().supersedes(message.fence());
            boolean refusal = mismatch.get() == FenceField.RESERVATION && message instanceof RequestEvent.LegRefused;
            if (stale) {
                return Decision.ignored("stale");
            }
            if (!refusal) {
                return Decision.refused(Refusal.valueOf(mismatch.get().name()));
            }
        }
        return switch (state) {
            case Routing routing -> Decision.ignored("stale");
            case Resting resting -> Decision.ignored("stale");
            case Reserving reserving -> reserving(reserving, message);
            case Live live -> live(live, message);
        };
    }

    // ---- routing ----

    private Decision<RequestState, RequestEffect, Refusal> ask(
            Progress before, List<RequestEffect> effects, long atNanos) {
        return askAgain(
                before.asked(), effects, atNanos, atNanos + limits.routeWait().toNanos());
    }

    private Decision<RequestState, RequestEffect, Refusal> askAgain(
            Progress progress, List<RequestEffect> effects, long atNanos, long giveUpAtNanos) {
        int given = progress.legFirstIndex();
        effects.add(new AskRoute(
                progress.routeAsk(),
                progress.spec().promptTokens().size() + given,
                progress.legChoices(),
                Math.max(0, progress.spec().maxTokens() - given),
                progress.spec().colocated(),
                progress.avoid(),
                Math.max(1, (giveUpAtNanos - atNanos) / 1_000_000)));
        // The scheduler refuses at the end of the wait; the grace lets its reason arrive.
        long again = atNanos + limits.reask().toNanos();
        long due =
                again < giveUpAtNanos ? again : giveUpAtNanos + limits.reask().toNanos() / 2;
        return Decision.moved(new Routing(progress, due, giveUpAtNanos), effects);
    }

    private Decision<RequestState, RequestEffect, Refusal> granted(Open state, RouteGrant grant, long atNanos) {
        if (!(state instanceof Routing) || grant.routeAsk() != state.progress().routeAsk()) {
            return Decision.ignored("another route ask");
        }
        Progress progress = state.progress();
        Fence fence = new Fence(
                progress.spec().tenant(),
                progress.spec().request(),
                progress.generation(),
                progress.attempt(),
                grant.prefill().epoch(),
                grant.decode().epoch(),
                Binding.UNRESERVED);
        Binding binding = new Binding(
                grant,
                fence,
                grant.colocated(),
                progress.legFirstChoice(),
                progress.legChoices(),
                progress.legFirstIndex(),
                false);
        Reserving next =
                new Reserving(progress, binding, atNanos + limits.reserve().toNanos());
        var spec = progress.decodeSpec(binding, vocabulary(progress).endTokens());
        return grant.colocated()
                ? Decision.moved(next, new StartColocated(grant.decode(), fence, spec))
                : Decision.moved(next, new ReserveDecode(grant.decode(), grant.prefill(), fence, spec));
    }

    private Decision<RequestState, RequestEffect, Refusal> reserving(Reserving state, RequestEvent.FromWorker message) {
        Progress progress = state.progress();
        Binding binding = state.binding();
        return switch (message) {
            case RequestEvent.DecodeReserved reserved -> {
                if (binding.colocated()) {
                    yield Decision.refused(Refusal.OUT_OF_PHASE);
                }
                if (!reserved.manifest().fence().equals(reserved.fence())
                        || reserved.manifest().request().promptTokens()
                                != progress.spec().promptTokens().size() + binding.firstIndex()) {
                    yield Decision.refused(Refusal.MANIFEST);
                }
                Binding pair = binding.under(reserved.fence(), true);
                yield Decision.moved(
                        new RequestState.Prefilling(
                                progress,
                                pair,
                                false,
                                List.of(),
                                reserved.atNanos() + limits.prefill().toNanos()),
                        new StartPrefill(
                                pair.prefill(),
                                pair.decode(),
                                reserved.manifest(),
                                reserved.endpoint(),
                                progress.decodeSpec(pair, vocabulary(progress).endTokens())));
            }
            case RequestEvent.ColocatedAccepted accepted ->
                binding.colocated()
                        ? Decision.moved(new RequestState.Prefilling(
                                progress,
                                binding.under(accepted.fence(), false),
                                true,
                                List.of(),
                                accepted.atNanos() + limits.prefill().toNanos()))
                        : Decision.refused(Refusal.OUT_OF_PHASE);
            case RequestEvent.LegRefused refused -> legRefused(state, refused);
            case RequestEvent.LegFailed failed ->
                failed(state, List.of(binding.decode().worker()), failed.atNanos());
            case RequestEvent.PrefillAccepted accepted -> Decision.refused(Refusal.OUT_OF_PHASE);
            case RequestEvent.FirstTokens first -> Decision.refused(Refusal.OUT_OF_PHASE);
            case RequestEvent.KvPublished published -> Decision.refused(Refusal.OUT_OF_PHASE);
            case RequestEvent.TokensProduced produced -> Decision.refused(Refusal.OUT_OF_PHASE);
        };
    }

    // ---- both legs at work ----

    private Decision<RequestState, RequestEffect, Refusal> live(Live state, RequestEvent.FromWorker message) {
        Binding binding = state.binding();
        return switch (message) {
            case RequestEvent.DecodeReserved reserved -> Decision.ignored("already reserved");
            case RequestEvent.ColocatedAccepted accepted -> Decision.ignored("already accepted");
            case RequestEvent.PrefillAccepted accepted ->
                state instanceof RequestState.Prefilling prefilling && !prefilling.accepted()
                        ? Decision.moved(prefilling.asAccepted())
                        : Decision.ignored("already accepted");
            case RequestEvent.LegRefused refused ->
                state instanceof RequestState.Prefilling prefilling
                                && !prefilling.accepted()
                                && refused.leg() == Leg.PREFILL
                        ? legRefused(state, refused)
                        : Decision.ignored("leg had begun");
            case RequestEvent.LegFailed failed -> {
                if (failed.leg() == Leg.PREFILL && !binding.prefillLive()) {
                    yield Decision.ignored("prefill is done");
                }
                WorkerId worker = failed.leg() == Leg.PREFILL
                        ? binding.prefill().worker()
                        : binding.decode().worker();
                yield failed(state, List.of(worker), failed.atNanos());
            }
            case RequestEvent.FirstTokens first -> firstTokens(state, first);
            case RequestEvent.KvPublished published -> published(state, published);
            case RequestEvent.TokensProduced produced -> produced(state, produced);
        };
    }

    private Decision<RequestState, RequestEffect, Refusal> firstTokens(Live state, RequestEvent.FirstTokens first) {
        if (!state.awaitsFirstTokens()) {
            return Decision.ignored("first tokens are known");
        }
        Binding binding = state.binding();
        if (first.tokenIndex() != binding.firstIndex()) {
            return Decision.refused(Refusal.FIRST_TOKEN_INDEX);
        }
        if (first.tokens().size() != binding.choices()) {
            return Decision.refused(Refusal.NO_SUCH_CHOICE);
        }
        List<RequestEffect> effects = new ArrayList<>();
        Progress progress = state.progress();
        for (int c = 0; c < binding.choices(); c++) {
            progress = append(
                    progress,
                    binding,
                    c,
                    first.tokenIndex(),
                    List.of(first.tokens().get(c)),
                    effects,
                    first.atNanos());
        }
        for (RequestEvent.TokensProduced early : state.early()) {
            progress = append(
                    progress, binding, early.choice(), early.firstIndex(), early.tokens(), effects, first.atNanos());
        }
        boolean publicationDue = state instanceof RequestState.Prefilling && !binding.colocated();
        Live next = publicationDue
                ? new RequestState.PrefillComputeComplete(
                        progress, binding, first.atNanos() + limits.publish().toNanos())
                : new RequestState.Decoding(
                        progress, binding, first.atNanos() + limits.silence().toNanos());
        return advanced(next, effects, first.atNanos());
    }

    private Decision<RequestState, RequestEffect, Refusal> published(Live state, RequestEvent.KvPublished event) {
        Binding binding = state.binding();
        if (binding.colocated()) {
            return Decision.refused(Refusal.OUT_OF_PHASE);
        }
        if (!binding.prefillLive()) {
            return Decision.ignored("already published");
        }
        Progress progress = state.progress().stalled(event.exposedStallNanos());
        Binding published = binding.withoutPrefill();
        return Decision.moved(
                state.awaitsFirstTokens()
                        ? new RequestState.KvReady(
                                progress,
                                published,
                                state.early(),
                                event.atNanos() + limits.publish().toNanos())
                        : new RequestState.Decoding(
                                progress,
                                published,
                                event.atNanos() + limits.silence().toNanos()));
    }

    private Decision<RequestState, RequestEffect, Refusal> produced(Live state, RequestEvent.TokensProduced event) {
        Binding binding = state.binding();
        if (event.choice() < 0 || event.choice() >= binding.choices()) {
            return Decision.refused(Refusal.NO_SUCH_CHOICE);
        }
        if (state.awaitsFirstTokens()) {
            if (event.firstIndex() != binding.firstIndex() + 1) {
                return Decision.refused(Refusal.TOKEN_GAP);
            }
            return state.early().stream().anyMatch(e -> e.choice() == event.choice())
                    ? Decision.ignored("repeated tokens")
                    : Decision.moved(state.keeping(event));
        }
        Answer answer = state.progress().answers().get(binding.firstChoice() + event.choice());
        if (answer.ended()) {
            return Decision.ignored("choice ended");
        }
        if (event.firstIndex() > answer.tokens().size()) {
            return Decision.refused(Refusal.TOKEN_GAP);
        }
        if (event.firstIndex() + event.tokens().size() <= answer.tokens().size()) {
            return Decision.ignored("repeated tokens");
        }
        List<RequestEffect> effects = new ArrayList<>();
        Progress progress = append(
                state.progress(),
                binding,
                event.choice(),
                event.firstIndex(),
                event.tokens(),
                effects,
                event.atNanos());
        long due = state instanceof RequestState.Decoding
                ? event.atNanos() + limits.silence().toNanos()
                : state.dueAtNanos();
        return advanced(state.advancedTo(progress, due), effects, event.atNanos());
    }

    private Progress append(
            Progress progress,
            Binding binding,
            int choice,
            int firstIndex,
            List<Integer> tokens,
            List<RequestEffect> effects,
            long atNanos) {
        int number = binding.firstChoice() + choice;
        Answer answer = progress.answers().get(number);
        if (answer.ended()) {
            return progress;
        }
        int known = Math.max(0, answer.tokens().size() - firstIndex);
        Answer.Advance advance = answer.accept(
                tokens.subList(Math.min(known, tokens.size()), tokens.size()), progress.spec(), vocabulary(progress));
        effects.add(new Emit(new OutputItem(
                progress.nextSequence(),
                number,
                advance.visible(),
                advance.text(),
                advance.next().finish())));
        if (advance.next().ended()) {
            effects.add(new EndChoice(binding.decode(), binding.fence(), choice));
        } else if (firstIndex > binding.firstIndex()) {
            effects.add(new AcceptTokens(binding.decode(), binding.fence(), choice, firstIndex + tokens.size()));
        }
        return progress.withAnswer(number, advance.next(), 1, atNanos);
    }

    /** Tokens were appended: the leg may be done, and with it the request. */
    private Decision<RequestState, RequestEffect, Refusal> advanced(
            Live next, List<RequestEffect> effects, long atNanos) {
        Binding binding = next.binding();
        boolean legDone =
                next
                        .progress()
                        .answers()
                        .subList(binding.firstChoice(), binding.firstChoice() + binding.choices())
                        .stream()
                        .allMatch(Answer::ended);
        if (!legDone) {
            return Decision.moved(next, effects);
        }
        Progress progress = leave(next, "finished", effects);
        return progress.allEnded()
                ? end(new RequestState.Finished(progress), effects)
                : ask(progress.nextLeg(), effects, atNanos);
    }

    // ---- ends ----

    private Decision<RequestState, RequestEffect, Refusal> ticked(Open state, long atNanos) {
        if (atNanos >= state.progress().deadlineNanos()) {
            return fail(state, FailureCause.DEADLINE, "deadline");
        }
        if (atNanos < state.dueAtNanos()) {
            return Decision.ignored("not due");
        }
        return switch (state) {
            case Routing routing ->
                atNanos >= routing.giveUpAtNanos()
                        ? fail(state, FailureCause.NO_WORKER, "route_wait")
                        : askAgain(routing.progress(), new ArrayList<>(), atNanos, routing.giveUpAtNanos());
            case Resting resting ->
                askAgain(resting.progress().asked(), new ArrayList<>(), atNanos, resting.giveUpAtNanos());
            case Reserving reserving ->
                refused(reserving, List.of(reserving.binding().decode().worker()), atNanos);
            case Live live -> failed(live, List.of(live.suspect()), atNanos);
        };
    }

    private Decision<RequestState, RequestEffect, Refusal> legRefused(Open state, RequestEvent.LegRefused event) {
        Binding binding = bound(state).orElseThrow();
        if (event.reason() == LegRefusal.NEVER_FITS) {
            return fail(withoutRefused(state, event.leg()), FailureCause.TOO_LARGE, "never_fits");
        }
        WorkerId worker = event.leg() == Leg.PREFILL
                ? binding.prefill().worker()
                : binding.decode().worker();
        return refused(withoutRefused(state, event.leg()), List.of(worker), event.atNanos());
    }

    /** What the refusing leg does not hold need not be released. */
    private static Open withoutRefused(Open state, Leg leg) {
        return switch (state) {
            case Routing routing -> routing;
            case Resting resting -> resting;
            case Reserving reserving -> reserving.refusedByDestination();
            case Live live -> leg == Leg.PREFILL ? live.without(Leg.PREFILL) : live;
        };
    }

    /** Nothing had begun: another pair under the next attempt, after a rest. */
    private Decision<RequestState, RequestEffect, Refusal> refused(Open state, List<WorkerId> workers, long atNanos) {
        List<RequestEffect> effects = new ArrayList<>();
        Progress progress = leave(state, "refused", effects).refusedBy(workers);
        if (progress.refusals() > limits.maxRefusals()) {
            return end(new RequestState.Failed(progress, FailureCause.OVERLOADED), effects);
        }
        if (progress.refusals() == 1) {
            return ask(progress, effects, atNanos);
        }
        long rest = Math.min(limits.refusalBackoff().toNanos() * (progress.refusals() - 1), LONGEST_REST.toNanos());
        return Decision.moved(
                new Resting(
                        progress, atNanos + rest, atNanos + limits.routeWait().toNanos()),
                effects);
    }

    /** Something had begun: continue from prompt plus tokens given, under the next generation. */
    private Decision<RequestState, RequestEffect, Refusal> failed(Open state, List<WorkerId> workers, long atNanos) {
        List<RequestEffect> effects = new ArrayList<>();
        Progress progress = leave(state, "failed", effects).failedBy(workers, 1);
        return progress.retries() > limits.maxRetries()
                ? end(new RequestState.Failed(progress, FailureCause.RETRIES_EXHAUSTED), effects)
                : ask(progress, effects, atNanos);
    }

    private static Decision<RequestState, RequestEffect, Refusal> fail(Open state, FailureCause cause, String why) {
        List<RequestEffect> effects = new ArrayList<>();
        return end(new RequestState.Failed(leave(state, why, effects), cause), effects);
    }

    /** Gives up whatever the state holds: both legs at once, and the route. */
    private static Progress leave(Open state, String cause, List<RequestEffect> effects) {
        Optional<Binding> bound = bound(state);
        Progress progress = state.progress();
        if (bound.isPresent() && !(state instanceof Reserving reserving && !reserving.asked())) {
            Binding binding = bound.get();
            effects.add(new ReleaseDecode(binding.decode(), binding.fence(), cause));
            if (!binding.reserved()) {
                progress = progress.abandoning(binding);
            }
            if (binding.prefillLive()) {
                effects.add(new CancelPrefill(binding.prefill(), binding.fence(), cause));
            }
        }
        if (!(state instanceof Resting)) {
            effects.add(new ReleaseRoute(progress.routeAsk()));
        }
        return progress;
    }

    private static Decision<RequestState, RequestEffect, Refusal> end(Ended state, List<RequestEffect> effects) {
        effects.add(new RequestEffect.TellEnded(
                state.outcome(), state.failure().orElse(null), state.progress().usage()));
        return Decision.moved(state, effects);
    }

    private Vocabulary vocabulary(Progress progress) {
        return vocabularies.apply(progress.spec().model());
    }
}
