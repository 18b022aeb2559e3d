package dev.baton.transfer.destination;

import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CHUNK_BYTES;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;
import static dev.baton.transfer.Handoffs.seal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.machine.Decision;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole lives of the destination's machine: every end leaves nothing reserved and no credit out. */
class DestinationLifeTest {

    record Stage(String name, Supplier<DestinationRig> rig) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Stage> liveStates() {
        return Stream.of(
                new Stage("planned", DestinationRig::planned),
                new Stage("planned, reserving", DestinationRig::begun),
                new Stage("reserved", DestinationRig::reserved),
                new Stage("transferring", DestinationRig::transferring),
                new Stage("validated", DestinationRig::validated));
    }

    @Test
    void s0x06D_aTransferThatGoesWellPublishesAdmitsAndAcknowledgesInThatOrder() {
        DestinationRig rig = DestinationRig.published();
        assertThat(rig.state()).isInstanceOf(State.Published.class);
        assertThat(rig.effectNames().subList(rig.effects.size() - 3, rig.effects.size()))
                .containsExactly("Publish", "AdmitDecode", "AcknowledgeSource");
        assertThat(rig.stagingBytes).isZero();
        assertThat(rig.refusals).isEmpty();
    }

    @Test
    void s0x06B_theReservationCoversPromptAndGrowth() {
        assertThat(DestinationRig.begun().effects)
                .containsExactly(
                        new Effect.ReserveBlocks(TERMS.fence(), 3)); // 32 prompt + 16 growth tokens, 16 a block
    }

    @Test
    void theSealMayComeBeforeTheFirstChunk() {
        DestinationRig rig = DestinationRig.reserved();
        rig.seal(seal());
        for (int index = CHUNKS - 1; index >= 0; index--) {
            assertThat(rig.did(Effect.Publish.class)).isFalse();
            rig.receive(index);
            rig.visible(index);
        }
        assertThat(rig.state()).isInstanceOf(State.Validated.class);
        assertThat(rig.effectNames().getLast()).isEqualTo("Publish");
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void everyLiveStateEndsByItsDeadlineEvenIfNobodyAnswers(Stage stage) {
        DestinationRig rig = stage.rig().get();
        rig.deadline();
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
        rig.deadline();
        assertThat(rig.state()).isInstanceOf(State.Aborted.class);
        assertThat(rig.did(Effect.FenceEpoch.class)).isTrue();
        assertNothingHeld(rig);
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void aTimerOfAnEarlierStateIsIgnored(Stage stage) {
        DestinationRig rig = stage.rig().get();
        long early = ((State.Live) rig.state()).deadlineNanos() - 1;
        assertThat(rig.tell(new Event.DeadlinePassed(early))).isInstanceOf(Decision.Ignored.class);
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void s0x06E_everyCauseTakesTheSameWayOut(Stage stage) {
        List<Event> causes = List.of(
                new Event.Cancelled(TERMS.fence(), 1_000),
                new Event.PeerLost(TERMS.fence().sourceEpoch(), 1_000),
                new Event.SourceAborted(TERMS.fence(), AbortReason.of(AbortCause.CANCELLED), 1_000));
        for (Event cause : causes) {
            DestinationRig rig = stage.rig().get();
            boolean askedDirectory = rig.did(Effect.Publish.class);
            rig.tell(cause);
            if (askedDirectory) {
                rig.answer(new DirectoryAnswer.Withdrawn());
            }
            assertThat(rig.did(Effect.ReleaseBlocks.class)).isFalse();
            assertThat(rig.did(Effect.ReleaseStagingCredits.class)).isFalse();
            rig.tell(new Event.TransportQuiesced(rig.now));
            assertThat(rig.state()).isInstanceOf(State.Aborted.class);
            assertThat(rig.did(Effect.FenceEpoch.class)).isFalse();
            assertThat(rig.did(Effect.WithdrawPublication.class)).isEqualTo(askedDirectory);
            assertNothingHeld(rig);
        }
    }

    @ParameterizedTest
    @MethodSource("liveStates")
    void anEpochFencedFromOutsideEndsAtOnce(Stage stage) {
        DestinationRig rig = stage.rig().get();
        assertThat(rig.tell(new Event.EpochFenced(new WorkerEpoch(99), 1_000))).isInstanceOf(Decision.Ignored.class);
        rig.tell(new Event.EpochFenced(TERMS.fence().destinationEpoch(), 1_000));
        assertThat(rig.state()).isInstanceOf(State.Aborted.class);
        assertNothingHeld(rig);
    }

    @Test
    void aReservationGrantedAfterTheAbortGoesBackOnce() {
        DestinationRig rig = DestinationRig.begun();
        rig.cancel();
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertThat(rig.state()).isInstanceOf(State.Aborted.class);
        rig.reserve();
        assertNothingHeld(rig);
        rig.tell(new Event.BlocksReserved(DestinationRig.BLOCKS, rig.now));
        assertNothingHeld(rig);
    }

    @Test
    void aReservationGrantedDuringTheAbortGoesBackWithTheRest() {
        DestinationRig rig = DestinationRig.begun();
        rig.cancel();
        rig.reserve();
        assertThat(rig.reservedBlocks).isEqualTo(3);
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertNothingHeld(rig);
    }

    @Test
    void aRefusedReservationAborts() {
        DestinationRig rig = DestinationRig.begun();
        rig.tell(new Event.ReservationRefused(rig.now));
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertThat(((State.Aborted) rig.state()).reason().cause()).isEqualTo(AbortCause.RESERVATION_REFUSED);
        assertNothingHeld(rig);
    }

    @Test
    void aFailedCopyAborts() {
        DestinationRig rig = DestinationRig.transferring();
        rig.tell(new Event.CopyFailed(1, rig.now));
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertThat(((State.Aborted) rig.state()).reason().cause()).isEqualTo(AbortCause.COPY_FAILED);
        assertNothingHeld(rig);
    }

    @Test
    void blocksWaitForTheWithdrawalOfAPublicationThatWasAskedFor() {
        DestinationRig rig = DestinationRig.validated();
        rig.cancel();
        rig.tell(new Event.TransportQuiesced(rig.now));
        rig.answer(new DirectoryAnswer.Published(DestinationRig.HANDLE)); // the answer that the cancellation overtook
        assertThat(rig.did(Effect.ReleaseBlocks.class)).isFalse();
        rig.answer(new DirectoryAnswer.Withdrawn());
        assertThat(rig.did(Effect.AdmitDecode.class)).isFalse();
        assertNothingHeld(rig);
    }

    @Test
    void afterTheEndsLateEventsAreIgnored() {
        List<Event> late = List.of(
                new Event.Began(1_000),
                new Event.BlocksReserved(DestinationRig.BLOCKS, 1_000),
                new Event.ReservationRefused(1_000),
                new Event.ChunkReceived(TERMS.fence(), 1, CHUNK_BYTES, checksum(1), 1_000),
                new Event.ChunkVisible(1, 1_000),
                new Event.CopyFailed(1, 1_000),
                new Event.DirectoryAnswered(new DirectoryAnswer.Published(DestinationRig.HANDLE), 1_000),
                new Event.PeerLost(TERMS.fence().sourceEpoch(), 1_000),
                new Event.TransportQuiesced(1_000),
                new Event.EpochFenced(TERMS.fence().destinationEpoch(), 1_000),
                new Event.DeadlinePassed(Long.MAX_VALUE / 2));
        for (DestinationRig rig : List.of(DestinationRig.published(), DestinationRig.aborted())) {
            for (Event event : late) {
                assertThat(rig.tell(event)).as("%s", event).isInstanceOf(Decision.Ignored.class);
            }
        }
        DestinationRig aborted = DestinationRig.aborted();
        assertThat(aborted.cancel()).isInstanceOf(Decision.Ignored.class);
        assertThat(aborted.seal(seal())).isInstanceOf(Decision.Ignored.class);
    }

    @Test
    void s0x09B_aLostAcknowledgementIsRepeatedForARepeatedSeal() {
        DestinationRig rig = DestinationRig.published();
        rig.seal(seal());
        assertThat(rig.count(Effect.AcknowledgeSource.class)).isEqualTo(2);
        assertThat(rig.count(Effect.AdmitDecode.class)).isEqualTo(1);
        assertThat(rig.count(Effect.Publish.class)).isEqualTo(1);
    }

    @Test
    void aSourceThatGivesUpAfterPublicationIsToldThatItWasPublished() {
        DestinationRig rig = DestinationRig.published();
        rig.tell(new Event.SourceAborted(TERMS.fence(), AbortReason.of(AbortCause.DEADLINE), rig.now));
        assertThat(rig.refusals).containsExactly(Refusal.ABORT_AFTER_PUBLICATION);
        assertThat(rig.count(Effect.AcknowledgeSource.class)).isEqualTo(2);
    }

    @Test
    void anAbortedDestinationTellsAnAbortingSourceAgainThatItsStagingIsFree() {
        DestinationRig rig = DestinationRig.aborted();
        rig.tell(new Event.SourceAborted(TERMS.fence(), AbortReason.of(AbortCause.DEADLINE), rig.now));
        assertThat(rig.effects.getLast()).isEqualTo(new Effect.ReleaseStagingCredits(TERMS.fence(), 0));
        assertNothingHeld(rig);
    }

    static void assertNothingHeld(DestinationRig rig) {
        assertThat(rig.reservedBlocks).as("blocks reserved").isZero();
        assertThat(rig.stagingBytes).as("staging bytes").isZero();
    }
}
