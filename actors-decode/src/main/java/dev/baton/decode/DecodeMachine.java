package dev.baton.decode;

import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One decode leg: {@code AwaitingKv -> Running -> Draining -> Released}. Every state but the last has a deadline, checked by
 * {@link Event.Ticked}. The transfer that leads to publication is a machine of its own; until it has published, the reserved
 * blocks are the transfer's to free, afterwards this leg's.
 */
public final class DecodeMachine
        implements Machine<DecodeMachine.State, DecodeMachine.Event, DecodeMachine.Effect, DecodeMachine.Refusal> {

    public sealed interface State {
        /** Blocks are reserved; the K/V is not complete. {@code deadlineNanos} is that of whatever brings it. */
        record AwaitingKv(DecodeTerms terms, long deadlineNanos) implements State {}

        record Running(DecodeTerms terms, List<ChoiceProgress> choices, long heardAtNanos) implements State {
            public Running {
                choices = List.copyOf(choices);
            }
        }

        /** The leg is over; {@code onLoop} choices are still with the loop. */
        record Draining(DecodeTerms terms, List<Integer> onLoop, String cause, long deadlineNanos) implements State {
            public Draining {
                onLoop = List.copyOf(onLoop);
            }
        }

        record Released(String cause) implements State {}
    }

    public sealed interface Event {
        /** Published and looked up, or computed here. {@code startsOnLoop} says per choice whether its first token left anything to do. */
        record KvVisible(int nextTokenIndex, List<Boolean> startsOnLoop, long atNanos) implements Event {
            public KvVisible {
                startsOnLoop = List.copyOf(startsOnLoop);
            }
        }

        record TokenSampled(int choice, int index, int token) implements Event {}

        /** The loop does not touch the choice's blocks any more: stop token, length, or our request. */
        record SequenceLeft(int choice) implements Event {}

        record TokensAccepted(int choice, int nextIndex, long atNanos) implements Event {}

        record ChoiceEnded(int choice, long atNanos) implements Event {}

        /** Finished, cancelled or superseded by the request; or the K/V will never come. */
        record LegEnded(String cause, long atNanos) implements Event {}

        /** Logits or sampling rules left no token to choose, or the loop broke. */
        record Failed(String cause, long atNanos) implements Event {}

        record Ticked(long atNanos) implements Event {}
    }

    public sealed interface Effect {
        record StartSequence(int choice) implements Effect {}

        /** The choice's blocks may be given back. */
        record ReleaseChoice(int choice) implements Effect {}

        record StopSequence(int choice) implements Effect {}

        record SendTokens(int choice, int firstIndex, List<Integer> tokens) implements Effect {
            public SendTokens {
                tokens = List.copyOf(tokens);
            }
        }

        /** Ends whatever was to bring the K/V; it frees the blocks. */
        record AbandonKv(String cause) implements Effect {}

        record ReportFailure(String cause) implements Effect {}

        /** The loop kept a sequence beyond every bound: a bug, nothing here can be trusted. */
        record FenceWorker(String cause) implements Effect {}

        /** Nothing is held for the leg any more. */
        record Forget(String cause) implements Effect {}
    }

    public enum Refusal {
        NO_SUCH_CHOICE,
        /** A token index that leaves a gap or repeats. */
        TOKEN_INDEX,
        /** Acknowledges tokens that were never sent. */
        ACKNOWLEDGED_UNSENT,
        TOO_MANY_TOKENS,
        /** Tokens before the K/V was visible. */
        NOT_VISIBLE
    }

    @Override
    public Decision<State, Effect, Refusal> decide(State state, Event event) {
        return switch (state) {
            case State.AwaitingKv waiting -> awaiting(waiting, event);
            case State.Running running -> running(running, event);
            case State.Draining draining -> draining(draining, event);
            case State.Released released -> Decision.ignored("released");
        };
    }

    private static Decision<State, Effect, Refusal> awaiting(State.AwaitingKv state, Event event) {
        return switch (event) {
            case Event.KvVisible visible -> {
                if (visible.startsOnLoop().size() != state.terms().choices()) {
                    yield Decision.refused(Refusal.NO_SUCH_CHOICE);
                }
                List<ChoiceProgress> choices = new ArrayList<>();
                List<Effect> effects = new ArrayList<>();
                for (int c = 0; c < state.terms().choices(); c++) {
                    ChoiceProgress start = ChoiceProgress.startingAt(visible.nextTokenIndex());
                    boolean starts = visible.startsOnLoop().get(c);
                    choices.add(starts ? start : start.offLoop().end());
                    effects.add(starts ? new Effect.StartSequence(c) : new Effect.ReleaseChoice(c));
                }
                yield Decision.moved(new State.Running(state.terms(), choices, visible.atNanos()), effects);
            }
            case Event.LegEnded ended -> abandon(ended.cause());
            case Event.Failed failed -> abandonFailed(failed.cause());
            case Event.Ticked tick ->
                tick.atNanos() - state.deadlineNanos() < 0 ? Decision.ignored("not due") : abandonFailed("kv_deadline");
            case Event.TokenSampled sampled -> Decision.refused(Refusal.NOT_VISIBLE);
            case Event.SequenceLeft left -> Decision.refused(Refusal.NOT_VISIBLE);
            case Event.TokensAccepted accepted -> Decision.refused(Refusal.NOT_VISIBLE);
            case Event.ChoiceEnded ended -> Decision.ignored("choice has not begun");
        };
    }

    private static Decision<State, Effect, Refusal> abandon(String cause) {
        return Decision.moved(
                new State.Released(cause), List.of(new Effect.AbandonKv(cause), new Effect.Forget(cause)));
    }

    private static Decision<State, Effect, Refusal> abandonFailed(String cause) {
        return Decision.moved(
                new State.Released(cause),
                List.of(new Effect.AbandonKv(cause), new Effect.ReportFailure(cause), new Effect.Forget(cause)));
    }

    private static Decision<State, Effect, Refusal> running(State.Running state, Event event) {
        return switch (event) {
            case Event.KvVisible visible -> Decision.ignored("already visible");
            case Event.TokenSampled sampled -> sampled(state, sampled);
            case Event.SequenceLeft(int choice) -> {
                if (choice < 0 || choice >= state.choices().size()) {
                    yield Decision.refused(Refusal.NO_SUCH_CHOICE);
                }
                ChoiceProgress progress = state.choices().get(choice);
                yield progress.onLoop()
                        ? Decision.moved(
                                with(state, choice, progress.offLoop(), state.heardAtNanos()),
                                new Effect.ReleaseChoice(choice))
                        : Decision.ignored("already left");
            }
            case Event.TokensAccepted accepted -> accepted(state, accepted);
            case Event.ChoiceEnded ended -> {
                if (ended.choice() < 0 || ended.choice() >= state.choices().size()) {
                    yield Decision.refused(Refusal.NO_SUCH_CHOICE);
                }
                ChoiceProgress progress = state.choices().get(ended.choice());
                if (progress.ended()) {
                    yield Decision.ignored("already ended");
                }
                State next = with(state, ended.choice(), progress.end(), ended.atNanos());
                yield progress.onLoop()
                        ? Decision.moved(next, new Effect.StopSequence(ended.choice()))
                        : Decision.moved(next);
            }
            case Event.LegEnded ended -> drain(state, ended.cause(), ended.atNanos(), List.of());
            case Event.Failed failed ->
                drain(state, failed.cause(), failed.atNanos(), List.of(new Effect.ReportFailure(failed.cause())));
            case Event.Ticked(long atNanos) ->
                atNanos - state.heardAtNanos() < state.terms().silenceNanos()
                        ? Decision.ignored("not due")
                        : drain(state, "request_silent", atNanos, List.of(new Effect.ReportFailure("request_silent")));
        };
    }

    private static Decision<State, Effect, Refusal> sampled(State.Running state, Event.TokenSampled event) {
        if (event.choice() < 0 || event.choice() >= state.choices().size()) {
            return Decision.refused(Refusal.NO_SUCH_CHOICE);
        }
        ChoiceProgress progress = state.choices().get(event.choice());
        if (progress.ended()) {
            return Decision.ignored("sampled before the end arrived");
        }
        if (event.index() != progress.nextIndex()) {
            return Decision.refused(Refusal.TOKEN_INDEX);
        }
        if (event.index() >= state.terms().maxTokens()) {
            return Decision.refused(Refusal.TOO_MANY_TOKENS);
        }
        ChoiceProgress next = progress.sampled(event.token());
        return next.awaitsAcknowledgement()
                ? Decision.moved(with(state, event.choice(), next, state.heardAtNanos()))
                : send(state, event.choice(), next, state.heardAtNanos());
    }

    private static Decision<State, Effect, Refusal> accepted(State.Running state, Event.TokensAccepted event) {
        if (event.choice() < 0 || event.choice() >= state.choices().size()) {
            return Decision.refused(Refusal.NO_SUCH_CHOICE);
        }
        ChoiceProgress progress = state.choices().get(event.choice());
        if (event.nextIndex() > progress.sentBelow()) {
            return Decision.refused(Refusal.ACKNOWLEDGED_UNSENT);
        }
        if (event.nextIndex() <= progress.acceptedBelow()) {
            return Decision.ignored("already accepted");
        }
        ChoiceProgress next = progress.accepted(event.nextIndex());
        return next.awaitsAcknowledgement() || next.unsent().isEmpty()
                ? Decision.moved(with(state, event.choice(), next, event.atNanos()))
                : send(state, event.choice(), next, event.atNanos());
    }

    private static Decision<State, Effect, Refusal> send(
            State.Running state, int choice, ChoiceProgress progress, long heardAtNanos) {
        return Decision.moved(
                with(state, choice, progress.sentAll(), heardAtNanos),
                new Effect.SendTokens(choice, progress.sentBelow(), progress.unsent()));
    }

    private static State.Running with(State.Running state, int choice, ChoiceProgress progress, long heardAtNanos) {
        List<ChoiceProgress> choices = new ArrayList<>(state.choices());
        choices.set(choice, progress);
        return new State.Running(state.terms(), choices, heardAtNanos);
    }

    private static Decision<State, Effect, Refusal> drain(
            State.Running state, String cause, long atNanos, List<Effect> first) {
        List<Effect> effects = new ArrayList<>(first);
        List<Integer> onLoop = IntStream.range(0, state.choices().size())
                .filter(c -> state.choices().get(c).onLoop())
                .boxed()
                .toList();
        // A choice that ended was told to leave when it ended.
        onLoop.stream()
                .filter(c -> !state.choices().get(c).ended())
                .forEach(c -> effects.add(new Effect.StopSequence(c)));
        return settle(state.terms(), onLoop, cause, atNanos + state.terms().drainNanos(), effects);
    }

    private static Decision<State, Effect, Refusal> draining(State.Draining state, Event event) {
        return switch (event) {
            case Event.SequenceLeft(int choice) -> {
                if (!state.onLoop().contains(choice)) {
                    yield Decision.ignored("already left");
                }
                List<Integer> onLoop =
                        state.onLoop().stream().filter(c -> c != choice).toList();
                List<Effect> effects = new ArrayList<>();
                effects.add(new Effect.ReleaseChoice(choice));
                yield settle(state.terms(), onLoop, state.cause(), state.deadlineNanos(), effects);
            }
            case Event.Ticked(long atNanos) ->
                atNanos - state.deadlineNanos() < 0
                        ? Decision.ignored("not due")
                        : Decision.moved(
                                new State.Released("loop_stuck"),
                                new Effect.FenceWorker("the loop kept a sequence beyond its deadline"),
                                new Effect.Forget("loop_stuck"));
            case Event.KvVisible visible -> Decision.ignored("draining");
            case Event.TokenSampled sampled -> Decision.ignored("draining");
            case Event.TokensAccepted accepted -> Decision.ignored("draining");
            case Event.ChoiceEnded ended -> Decision.ignored("draining");
            case Event.LegEnded ended -> Decision.ignored("draining");
            case Event.Failed failed -> Decision.ignored("draining");
        };
    }

    private static Decision<State, Effect, Refusal> settle(
            DecodeTerms terms, List<Integer> onLoop, String cause, long deadlineNanos, List<Effect> effects) {
        if (!onLoop.isEmpty()) {
            return Decision.moved(new State.Draining(terms, onLoop, cause, deadlineNanos), effects);
        }
        effects.add(new Effect.Forget(cause));
        return Decision.moved(new State.Released(cause), effects);
    }
}
