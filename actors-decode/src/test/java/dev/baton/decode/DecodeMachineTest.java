package dev.baton.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.machine.Decision;
import dev.baton.decode.DecodeMachine.Effect;
import dev.baton.decode.DecodeMachine.Event;
import dev.baton.decode.DecodeMachine.Refusal;
import dev.baton.decode.DecodeMachine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecodeMachineTest {
    private static final DecodeTerms TERMS = new DecodeTerms(2, 10, 100, 50);

    private final DecodeMachine machine = new DecodeMachine();
    private State state = new State.AwaitingKv(TERMS, 1_000);

    private List<Effect> moved(Event event) {
        Decision<State, Effect, Refusal> decision = machine.decide(state, event);
        assertThat(decision).as("%s in %s", event, state).isInstanceOf(Decision.Moved.class);
        Decision.Moved<State, Effect, Refusal> moved = (Decision.Moved<State, Effect, Refusal>) decision;
        state = moved.next();
        return moved.effects();
    }

    private void ignored(Event event) {
        assertThat(machine.decide(state, event)).as("%s", event).isInstanceOf(Decision.Ignored.class);
    }

    private void refused(Event event, Refusal reason) {
        assertThat(machine.decide(state, event)).isEqualTo(Decision.refused(reason));
    }

    private void visible() {
        assertThat(moved(new Event.KvVisible(1, List.of(true, true), 0)))
                .containsExactly(new Effect.StartSequence(0), new Effect.StartSequence(1));
    }

    @Test
    void s0x06D_nothingIsDecodedBeforeTheKvIsVisible() {
        refused(new Event.TokenSampled(0, 1, 7), Refusal.NOT_VISIBLE);
        refused(new Event.SequenceLeft(0), Refusal.NOT_VISIBLE);
        refused(new Event.TokensAccepted(0, 1, 0), Refusal.NOT_VISIBLE);
        refused(new Event.KvVisible(1, List.of(true), 0), Refusal.NO_SUCH_CHOICE);
    }

    @Test
    void s0x00A_oneBatchOfAChoiceIsUnderWayAndTheRestFollowsItsAcknowledgement() {
        visible();
        assertThat(moved(new Event.TokenSampled(0, 1, 11))).containsExactly(new Effect.SendTokens(0, 1, List.of(11)));
        assertThat(moved(new Event.TokenSampled(0, 2, 12))).isEmpty();
        assertThat(moved(new Event.TokenSampled(0, 3, 13))).isEmpty();
        assertThat(moved(new Event.TokenSampled(1, 1, 21)))
                .as("choices do not wait for each other")
                .containsExactly(new Effect.SendTokens(1, 1, List.of(21)));
        assertThat(moved(new Event.TokensAccepted(0, 2, 5)))
                .containsExactly(new Effect.SendTokens(0, 2, List.of(12, 13)));
        ignored(new Event.TokensAccepted(0, 2, 5));
        assertThat(moved(new Event.TokensAccepted(0, 4, 6))).isEmpty();
        assertThat(moved(new Event.TokenSampled(0, 4, 14))).containsExactly(new Effect.SendTokens(0, 4, List.of(14)));
    }

    @Test
    void s0x10_eachRuleOfTokensHasItsOwnRefusal() {
        visible();
        refused(new Event.TokenSampled(0, 2, 7), Refusal.TOKEN_INDEX);
        refused(new Event.TokenSampled(0, 0, 7), Refusal.TOKEN_INDEX);
        refused(new Event.TokenSampled(2, 1, 7), Refusal.NO_SUCH_CHOICE);
        refused(new Event.TokensAccepted(0, 2, 0), Refusal.ACKNOWLEDGED_UNSENT);
        refused(new Event.TokensAccepted(-1, 1, 0), Refusal.NO_SUCH_CHOICE);
        refused(new Event.SequenceLeft(2), Refusal.NO_SUCH_CHOICE);
        refused(new Event.ChoiceEnded(2, 0), Refusal.NO_SUCH_CHOICE);
        for (int index = 1; index < 10; index++) {
            moved(new Event.TokenSampled(0, index, index));
        }
        refused(new Event.TokenSampled(0, 10, 7), Refusal.TOO_MANY_TOKENS);
    }

    @Test
    void s0x06E_aLegEndsOnlyWhenTheLoopHasLetGoOfEverySequence() {
        visible();
        assertThat(moved(new Event.ChoiceEnded(0, 1))).containsExactly(new Effect.StopSequence(0));
        ignored(new Event.ChoiceEnded(0, 1));
        assertThat(moved(new Event.LegEnded("finished", 2)))
                .as("the choice that ended was told before")
                .containsExactly(new Effect.StopSequence(1));
        assertThat(state).isInstanceOf(State.Draining.class);
        ignored(new Event.LegEnded("finished", 3));
        ignored(new Event.TokenSampled(1, 1, 5));
        assertThat(moved(new Event.SequenceLeft(1))).containsExactly(new Effect.ReleaseChoice(1));
        ignored(new Event.SequenceLeft(1));
        assertThat(moved(new Event.SequenceLeft(0)))
                .containsExactly(new Effect.ReleaseChoice(0), new Effect.Forget("finished"));
        assertThat(state).isEqualTo(new State.Released("finished"));
        ignored(new Event.SequenceLeft(0));
    }

    @Test
    void s0x06E_everyStateButTheLastHasADeadline() {
        ignored(new Event.Ticked(999));
        assertThat(moved(new Event.Ticked(1_000)))
                .containsExactly(
                        new Effect.AbandonKv("kv_deadline"),
                        new Effect.ReportFailure("kv_deadline"),
                        new Effect.Forget("kv_deadline"));

        state = new State.AwaitingKv(TERMS, 1_000);
        visible();
        moved(new Event.TokenSampled(0, 1, 1));
        moved(new Event.TokensAccepted(0, 2, 30));
        ignored(new Event.Ticked(129));
        assertThat(moved(new Event.Ticked(130)))
                .containsExactly(
                        new Effect.ReportFailure("request_silent"),
                        new Effect.StopSequence(0),
                        new Effect.StopSequence(1));
        ignored(new Event.Ticked(179));
        assertThat(moved(new Event.Ticked(180)))
                .containsExactly(
                        new Effect.FenceWorker("the loop kept a sequence beyond its deadline"),
                        new Effect.Forget("loop_stuck"));
        ignored(new Event.Ticked(1_000_000));
    }

    @Test
    void s0x00A_aChoiceWhoseFirstTokenWasItsLastNeverReachesTheLoop() {
        assertThat(moved(new Event.KvVisible(1, List.of(false, true), 0)))
                .containsExactly(new Effect.ReleaseChoice(0), new Effect.StartSequence(1));
        ignored(new Event.SequenceLeft(0));
        assertThat(moved(new Event.LegEnded("finished", 1))).containsExactly(new Effect.StopSequence(1));
    }

    @Test
    void s0x06E_inAnyOrderOfEventsEachChoiceIsReleasedExactlyOnce() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            state = new State.AwaitingKv(TERMS, 1_000);
            visible();
            List<Effect> all = new ArrayList<>();
            List<Event> rest = new ArrayList<>(List.of(
                    new Event.SequenceLeft(0),
                    new Event.SequenceLeft(1),
                    new Event.SequenceLeft(1),
                    new Event.ChoiceEnded(0, 1),
                    new Event.LegEnded("cancelled", 1),
                    new Event.Failed("broken", 1),
                    new Event.TokenSampled(0, 1, 3),
                    new Event.TokenSampled(1, 1, 3),
                    new Event.TokensAccepted(1, 2, 1)));
            while (!rest.isEmpty()) {
                Event event = rest.remove(random.nextInt(rest.size()));
                if (machine.decide(state, event) instanceof Decision.Moved<State, Effect, Refusal> moved) {
                    state = moved.next();
                    all.addAll(moved.effects());
                }
            }
            assertThat(all.stream().filter(e -> e instanceof Effect.ReleaseChoice))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrder(new Effect.ReleaseChoice(0), new Effect.ReleaseChoice(1));
            assertThat(all.stream().filter(e -> e instanceof Effect.Forget))
                    .as("seed %d", seed)
                    .hasSize(1);
            assertThat(state).as("seed %d", seed).isInstanceOf(State.Released.class);
        }
    }
}
