package dev.baton.simulation.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.baton.contract.machine.Decision;
import dev.baton.transfer.chunk.ChunkPhase;
import dev.baton.transfer.destination.DestinationTransfer;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.source.SourceTransfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Thousands of seeded runs of the production machines; and planted bugs, to show that the invariants can fail. */
class HandoffExplorationTest {
    private static final int SEEDS = Integer.getInteger("baton.handoff.seeds", 5_000);

    @Test
    void s0x06E_noSeedBreaksAnInvariant() {
        int published = 0;
        int unpublished = 0;
        int crashed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            HandoffWorld.Outcome outcome = run(seed, Machines.PRODUCTION);
            published += outcome.publishedCount() > 0 ? 1 : 0;
            unpublished += outcome.publishedCount() == 0 ? 1 : 0;
            crashed += outcome.calm() ? 0 : 1;
        }
        System.out.printf(
                "handoff exploration: %d seeds, %d published, %d without publication, %d with a crash%n",
                SEEDS, published, unpublished, crashed);
        assertThat(published).isGreaterThan(SEEDS / 10);
        assertThat(unpublished).isGreaterThan(SEEDS / 20);
        assertThat(crashed).isGreaterThan(SEEDS / 100);
    }

    @Test
    void withoutFaultsSomeGenerationIsAlwaysPublished() {
        for (long seed = 1; seed <= 200; seed++) {
            assertThat(new HandoffWorld(seed, Faults.NONE, Machines.PRODUCTION)
                            .run()
                            .publishedCount())
                    .as("seed %d", seed)
                    .isPositive();
        }
    }

    @Test
    void aSeedReplaysExactly() {
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(run(seed, Machines.PRODUCTION)).isEqualTo(run(seed, Machines.PRODUCTION));
        }
    }

    @Test
    void plantedBug_publishingWithoutVisibilityIsCaught() {
        assertCaught(destination(HandoffExplorationTest::withoutVisibilityCheck), "partial publication");
    }

    @Test
    void plantedBug_creditReturnedAtReceiveIsCaught() {
        assertCaught(destination(HandoffExplorationTest::creditAtReceive), "before DEVICE_VISIBLE");
    }

    @Test
    void plantedBug_aDirectoryThatForgetsGenerationsIsCaught() {
        assertCaught(new Machines(SourceTransfer::decide, DestinationTransfer::decide, false), "stale publication");
    }

    @Test
    void plantedBug_blocksReleasedBeforeQuiescenceAreCaught() {
        assertCaught(destination(HandoffExplorationTest::releaseWithoutQuiescence), "BlocksConserved");
    }

    @Test
    void plantedBug_aTransferWithoutDeadlinesIsCaught() {
        assertCaught(destination(HandoffExplorationTest::deafToDeadlines), "does not end");
    }

    @Test
    void plantedBug_aSourceThatForgetsItsCreditsIsCaught() {
        assertCaught(
                new Machines(HandoffExplorationTest::forgetfulSource, DestinationTransfer::decide, true),
                "CreditConserved");
    }

    private static HandoffWorld.Outcome run(long seed, Machines machines) {
        try {
            return new HandoffWorld(seed, Faults.drawn(new Random(~seed)), machines).run();
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    /** Some seed ends in this violation; others may break something else first. */
    private static void assertCaught(Machines machines, String by) {
        Set<String> violations = new TreeSet<>();
        for (long seed = 1; seed <= 2_000; seed++) {
            try {
                new HandoffWorld(seed, Faults.drawn(new Random(~seed)), machines).run();
            } catch (Violation violation) {
                violations.add(String.valueOf(violation.getMessage()));
                if (String.valueOf(violation.getMessage()).contains(by)) {
                    return;
                }
            }
        }
        fail("no seed of 2000 was caught by '%s'; caught were %s", by, violations);
    }

    @FunctionalInterface
    private interface Destination {
        Decision<State, Effect, Refusal> decide(State state, Event event);
    }

    private static Machines destination(Destination planted) {
        return new Machines(SourceTransfer::decide, planted::decide, true);
    }

    /** Believes that what was received can be read. */
    private static Decision<State, Effect, Refusal> withoutVisibilityCheck(State state, Event event) {
        Decision<State, Effect, Refusal> decision = DestinationTransfer.decide(state, event);
        if (decision instanceof Decision.Moved<State, Effect, Refusal> moved
                && moved.next() instanceof State.Transferring t
                && t.seal() != null
                && t.chunks().count(ChunkPhase.DECLARED) == 0) {
            List<Effect> effects = new ArrayList<>(moved.effects());
            effects.add(new Effect.Publish(t.terms().fence(), t.terms().transfer(), t.blockIds()));
            return Decision.moved(
                    new State.Validated(t.terms(), t.deadlines(), t.blockIds(), t.seal(), t.deadlineNanos()), effects);
        }
        return decision;
    }

    private static Decision<State, Effect, Refusal> creditAtReceive(State state, Event event) {
        Decision<State, Effect, Refusal> decision = DestinationTransfer.decide(state, event);
        if (event instanceof Event.ChunkReceived e
                && decision instanceof Decision.Moved<State, Effect, Refusal> moved
                && moved.next() instanceof State.Transferring) {
            return Decision.moved(moved.next(), new Effect.ReturnCredit(e.fence(), e.index(), e.payloadBytes()));
        }
        return decision;
    }

    private static Decision<State, Effect, Refusal> releaseWithoutQuiescence(State state, Event event) {
        Decision<State, Effect, Refusal> decision = DestinationTransfer.decide(state, event);
        if (decision instanceof Decision.Moved<State, Effect, Refusal> moved
                && moved.next() instanceof State.Aborting aborting
                && !(state instanceof State.Aborting)) {
            Decision<State, Effect, Refusal> end =
                    DestinationTransfer.decide(aborting, new Event.TransportQuiesced(event.atNanos()));
            List<Effect> effects = new ArrayList<>(moved.effects());
            if (end instanceof Decision.Moved<State, Effect, Refusal> ended) {
                effects.addAll(ended.effects());
                return Decision.moved(ended.next(), effects);
            }
        }
        return decision;
    }

    private static Decision<State, Effect, Refusal> deafToDeadlines(State state, Event event) {
        return event instanceof Event.DeadlinePassed
                ? Decision.ignored("planted")
                : DestinationTransfer.decide(state, event);
    }

    private static Decision<SourceTransfer.State, SourceTransfer.Effect, SourceTransfer.Refusal> forgetfulSource(
            SourceTransfer.State state, SourceTransfer.Event event) {
        var decision = SourceTransfer.decide(state, event);
        if (decision
                        instanceof
                        Decision.Moved<SourceTransfer.State, SourceTransfer.Effect, SourceTransfer.Refusal> moved
                && moved.next() instanceof SourceTransfer.State.Aborted) {
            return Decision.moved(
                    moved.next(),
                    moved.effects().stream()
                            .filter(effect -> !(effect instanceof SourceTransfer.Effect.ReleaseCredits))
                            .toList());
        }
        return decision;
    }
}
