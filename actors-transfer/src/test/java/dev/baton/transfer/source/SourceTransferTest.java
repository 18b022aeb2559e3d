package dev.baton.transfer.source;

import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CHUNK_BYTES;
import static dev.baton.transfer.Handoffs.CONTINUATION;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;
import static dev.baton.transfer.Handoffs.mutated;
import static dev.baton.transfer.Handoffs.seal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.Continuation;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.source.SourceTransfer.Effect;
import dev.baton.transfer.source.SourceTransfer.Event;
import dev.baton.transfer.source.SourceTransfer.Refusal;
import dev.baton.transfer.source.SourceTransfer.State;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole lives of the source's machine, its fences, and one way to earn each refusal. */
class SourceTransferTest {

    record Stage(String name, Supplier<SourceRig> rig) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Stage> liveStates() {
        return Stream.of(
                new Stage("announced", SourceRig::new),
                new Stage("announced, pinned", SourceRig::begun),
                new Stage("streaming", SourceRig::streaming),
                new Stage("halfway", SourceRig::halfway),
                new Stage("sealed", SourceRig::sealed));
    }

    @Test
    void s0x06C_theProducerGateOpensPerLayerAndTokenInterval() {
        SourceRig rig = SourceRig.streaming();
        rig.ready(1, 15);
        assertThat(rig.offered()).isEmpty();
        rig.ready(1, 16);
        assertThat(rig.offered()).containsExactly(2);
        rig.ready(0, 32);
        assertThat(rig.offered()).containsExactly(2, 0, 1);
        rig.ready(1, 32);
        assertThat(rig.offered()).containsExactly(2, 0, 1, 3);
    }

    @Test
    void whatBecameReadyBeforeTheReservationIsOfferedAtOnce() {
        SourceRig rig = SourceRig.begun();
        rig.ready(0, 32);
        rig.ready(1, 16);
        assertThat(rig.offered()).isEmpty();
        rig.tell(new Event.DestinationReserved(TERMS.fence(), rig.now));
        assertThat(rig.offered()).containsExactly(0, 1, 2);
    }

    @Test
    void theSealNamesEveryChecksumAndLeavesWhenTheLastChunkHasLeft() {
        SourceRig rig = SourceRig.sealed();
        assertThat(rig.effects.getLast()).isEqualTo(new Effect.SendSeal(TERMS.fence(), TERMS.key(), seal()));
        assertThat(rig.count(Effect.SendSeal.class)).isEqualTo(1);
    }

    @Test
    void s0x06D_theOnlyCopyGoesWithTheAcknowledgementAndNotBefore() {
        SourceRig rig = SourceRig.sealed();
        for (int index = 0; index < CHUNKS - 1; index++) {
            rig.tell(new Event.CreditReturned(TERMS.fence(), index, rig.now));
        }
        assertThat(rig.pins).isEqualTo(1);
        assertThat(rig.creditBytes).isEqualTo(CHUNK_BYTES);
        rig.tell(new Event.PublicationAcknowledged(TERMS.fence(), TERMS.transfer(), rig.now));
        assertThat(rig.state()).isInstanceOf(State.Released.class);
        assertNothingHeld(rig);
    }

    @Test
    void s0x06B_creditComesBackOncePerChunk() {
        SourceRig rig = SourceRig.halfway();
        rig.tell(new Event.CreditReturned(TERMS.fence(), 1, rig.now));
        assertThat(rig.tell(new Event.CreditReturned(TERMS.fence(), 1, rig.now)))
                .isInstanceOf(Decision.Ignored.class);
        assertThat(rig.creditBytes).isEqualTo(CHUNK_BYTES);
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void everyLiveStateEndsByItsDeadlinesEvenIfNobodyAnswers(Stage stage) {
        SourceRig rig = stage.rig().get();
        for (int passed = 0; passed < 4 && rig.state() instanceof State.Live; passed++) {
            rig.deadline();
        }
        assertThat(rig.state()).isInstanceOf(State.Aborted.class);
        assertThat(rig.did(Effect.FenceEpoch.class)).isTrue();
        assertNothingHeld(rig);
    }

    @Test
    void aSealWithoutAcknowledgementIsSentAgainBeforeTheSourceGivesUp() {
        SourceRig rig = SourceRig.sealed();
        rig.deadline();
        assertThat(rig.count(Effect.SendSeal.class)).isEqualTo(2);
        assertThat(rig.state()).isInstanceOf(State.Sealed.class);
        rig.deadline();
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void s0x06E_nothingIsReleasedBeforeQuiescence(Stage stage) {
        List<Event> causes = List.of(
                new Event.Cancelled(TERMS.fence(), 1_000),
                new Event.PeerLost(TERMS.fence().destinationEpoch(), 1_000),
                new Event.DestinationAborted(TERMS.fence(), AbortReason.of(AbortCause.CANCELLED), 1_000));
        for (Event cause : causes) {
            SourceRig rig = stage.rig().get();
            int released = (int) rig.count(Effect.ReleaseCredits.class);
            rig.tell(cause);
            assertThat(rig.did(Effect.ReleaseBlocks.class)).isFalse();
            assertThat(rig.count(Effect.ReleaseCredits.class)).isEqualTo(released);
            rig.tell(new Event.TransportQuiesced(rig.now));
            assertThat(rig.effects.getLast()).isInstanceOf(Effect.RecordTerminalFailure.class);
            assertNothingHeld(rig);
        }
    }

    @Test
    void creditGrantedAfterTheAbortGoesBackOnce() {
        SourceRig rig = SourceRig.aborted();
        rig.grant(3);
        assertNothingHeld(rig);
        assertThat(rig.tell(new Event.CreditGranted(3, rig.now))).isInstanceOf(Decision.Ignored.class);
        assertNothingHeld(rig);
    }

    @Test
    void creditGrantedDuringTheAbortGoesBackWithTheRest() {
        SourceRig rig = SourceRig.aborting();
        rig.grant(3);
        assertThat(rig.creditBytes).isEqualTo(3 * CHUNK_BYTES);
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertNothingHeld(rig);
    }

    @Test
    void anAcknowledgementDuringTheAbortEndsItAsReleased() {
        SourceRig rig = SourceRig.sealed();
        rig.tell(new Event.Cancelled(TERMS.fence(), rig.now));
        rig.tell(new Event.PublicationAcknowledged(TERMS.fence(), TERMS.transfer(), rig.now));
        assertThat(rig.state()).isInstanceOf(State.Released.class);
        assertNothingHeld(rig);
    }

    @Test
    void afterTheEndsLateEventsAreIgnored() {
        List<Event> late = List.of(
                new Event.Began(1_000),
                new Event.KvReady(TERMS.fence(), 0, 32, 1_000),
                new Event.PrefillFinished(TERMS.fence(), CONTINUATION, 1_000),
                new Event.DestinationReserved(TERMS.fence(), 1_000),
                new Event.CreditGranted(1, 1_000),
                new Event.ChunkSent(1, checksum(1), 1_000),
                new Event.CreditReturned(TERMS.fence(), 1, 1_000),
                new Event.PublicationAcknowledged(TERMS.fence(), TERMS.transfer(), 1_000),
                new Event.Cancelled(TERMS.fence(), 1_000),
                new Event.PeerLost(TERMS.fence().destinationEpoch(), 1_000),
                new Event.TransportQuiesced(1_000),
                new Event.EpochFenced(TERMS.fence().sourceEpoch(), 1_000),
                new Event.DeadlinePassed(Long.MAX_VALUE / 2));
        for (SourceRig rig : List.of(SourceRig.released(), SourceRig.aborted())) {
            for (Event event : late) {
                assertThat(rig.tell(event)).as("%s", event).isInstanceOf(Decision.Ignored.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(FenceField.class)
    void s0x01A_everyFenceFieldOfEveryMessageIsRefusedByItsOwnReason(FenceField field) {
        Fence stale = mutated(TERMS.fence(), field);
        List<Event> messages = List.of(
                new Event.KvReady(stale, 0, 32, 1_000),
                new Event.PrefillFinished(stale, CONTINUATION, 1_000),
                new Event.DestinationReserved(stale, 1_000),
                new Event.CreditReturned(stale, 1, 1_000),
                new Event.PublicationAcknowledged(stale, TERMS.transfer(), 1_000),
                new Event.DestinationAborted(stale, AbortReason.of(AbortCause.CANCELLED), 1_000),
                new Event.Cancelled(stale, 1_000));
        for (Event message : messages) {
            for (SourceRig rig : List.of(
                    SourceRig.begun(),
                    SourceRig.halfway(),
                    SourceRig.sealed(),
                    SourceRig.aborting(),
                    SourceRig.aborted(),
                    SourceRig.released())) {
                State before = rig.state();
                assertThat(rig.tell(message)).isEqualTo(Decision.refused(Refusal.valueOf("FENCE_" + field)));
                assertThat(rig.state()).isEqualTo(before);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void everyRefusalIsEarned(Refusal refusal) {
        assertThat(earn(refusal).refusals).containsExactly(refusal);
    }

    private static SourceRig earn(Refusal refusal) {
        return switch (refusal) {
            case FENCE_TENANT -> fence(FenceField.TENANT);
            case FENCE_REQUEST -> fence(FenceField.REQUEST);
            case FENCE_GENERATION -> fence(FenceField.GENERATION);
            case FENCE_ATTEMPT -> fence(FenceField.ATTEMPT);
            case FENCE_SOURCE_EPOCH -> fence(FenceField.SOURCE_EPOCH);
            case FENCE_DESTINATION_EPOCH -> fence(FenceField.DESTINATION_EPOCH);
            case FENCE_RESERVATION -> fence(FenceField.RESERVATION);
            case NOT_BEGUN -> after(new SourceRig(), new Event.KvReady(TERMS.fence(), 0, 16, 0));
            case UNKNOWN_LAYER -> after(SourceRig.streaming(), new Event.KvReady(TERMS.fence(), 4, 16, 0));
            case READY_BEYOND_INTERVAL -> after(SourceRig.streaming(), new Event.KvReady(TERMS.fence(), 0, 33, 0));
            case UNKNOWN_CHUNK -> after(SourceRig.halfway(), new Event.CreditGranted(CHUNKS, 0));
            case CHUNK_NOT_OFFERED -> after(SourceRig.streaming(), new Event.CreditGranted(0, 0));
            case SENT_WITHOUT_CREDIT -> after(SourceRig.halfway(), new Event.ChunkSent(3, checksum(3), 0));
            case SENT_AGAIN_OTHER_CHECKSUM -> after(SourceRig.halfway(), new Event.ChunkSent(1, 1, 0));
            case RETURNED_BEFORE_SENT -> after(SourceRig.halfway(), new Event.CreditReturned(TERMS.fence(), 2, 0));
            case CONTINUATION_MISMATCH ->
                after(
                        SourceRig.sealed(),
                        new Event.PrefillFinished(TERMS.fence(), new Continuation(List.of(18), 1), 0));
            case FINISHED_BEFORE_READY ->
                after(SourceRig.streaming(), new Event.PrefillFinished(TERMS.fence(), CONTINUATION, 0));
            case ACKNOWLEDGED_BEFORE_SEAL ->
                after(SourceRig.halfway(), new Event.PublicationAcknowledged(TERMS.fence(), TERMS.transfer(), 0));
            case TRANSFER_MISMATCH ->
                after(SourceRig.sealed(), new Event.PublicationAcknowledged(TERMS.fence(), new TransferId(1, 1), 0));
            case ABORT_AFTER_RELEASE ->
                after(
                        SourceRig.released(),
                        new Event.DestinationAborted(TERMS.fence(), AbortReason.of(AbortCause.CANCELLED), 0));
        };
    }

    private static SourceRig fence(FenceField field) {
        return after(SourceRig.halfway(), new Event.Cancelled(mutated(TERMS.fence(), field), 0));
    }

    private static SourceRig after(SourceRig rig, Event event) {
        rig.tell(event);
        return rig;
    }

    static void assertNothingHeld(SourceRig rig) {
        assertThat(rig.pins).as("pinned").isZero();
        assertThat(rig.creditBytes).as("credit bytes").isZero();
    }
}
