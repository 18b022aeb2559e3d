package dev.baton.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.ledger.HandoffTimeline.ChunkTimes;
import dev.baton.contract.ledger.HandoffTimeline.GateViolation;
import dev.baton.contract.ledger.TransferSchedule.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HandoffTimelineTest {
    private static final ChunkTimes FIRST = new ChunkTimes(1000, 10, 12, 20, 22);
    private static final ChunkTimes SECOND = new ChunkTimes(500, 30, 31, 40, 45);
    private static final HandoffTimeline GOOD = new HandoffTimeline(List.of(FIRST, SECOND), 0, 32, 50, 55, 35);

    @Test
    void s0x0F_figuresOfAnObservedHandoff() {
        assertThat(GOOD.firstViolation()).isEmpty();
        assertThat(GOOD.payloadBytes()).isEqualTo(1500);
        assertThat(GOOD.transferWallNanos()).isEqualTo(45 - 12);
        assertThat(GOOD.prefillCompute()).isEqualTo(new Span(0, 30));
        assertThat(GOOD.overlap()).isEqualTo(new OverlapLedger(10 + 14, 10, 14));
        assertThat(GOOD.overlappedPayloadBytes()).isEqualTo(1000);
        assertThat(GOOD.exposedStallNanos()).isEqualTo(20);
    }

    @Test
    void s0x0F_aHandoffThatIsDoneBeforeDecodeIsReadyExposesNothing() {
        assertThat(new HandoffTimeline(GOOD.chunks(), 0, 32, 50, 55, 60).exposedStallNanos())
                .isZero();
    }

    @Test
    void s0x0F_anEmptyTransferStillHasAStall() {
        HandoffTimeline warm = new HandoffTimeline(List.of(), 100, 100, 104, 107, 102);

        assertThat(warm.firstViolation()).isEmpty();
        assertThat(warm.transferWallNanos()).isZero();
        assertThat(warm.overlap()).isEqualTo(new OverlapLedger(0, 0, 0));
        assertThat(warm.overlap().hiddenFraction()).isZero();
        assertThat(warm.exposedStallNanos()).isEqualTo(5);
    }

    @Test
    void s0x08I_forecastAndObservationOfTheSameTimesAgree() {
        List<Long> ready = List.of(25L, 50L, 75L, 100L);
        TransferSchedule forecast =
                TransferSchedule.streamed(TransferSchedule.layered(ready, 1, 1024, 10), new Path(4096, 0, 2, 2));
        List<ChunkTimes> observed = new ArrayList<>();
        for (int i = 0; i < ready.size(); i++) {
            TransferSchedule.ChunkSlot slot = forecast.chunks().get(i);
            observed.add(
                    new ChunkTimes(1024, ready.get(i), slot.startNanos(), slot.receivedNanos(), slot.visibleNanos()));
        }
        HandoffTimeline timeline =
                new HandoffTimeline(observed, 0, 100, forecast.validatedNanos(), forecast.publishedNanos(), 100);

        assertThat(timeline.firstViolation()).isEmpty();
        assertThat(timeline.overlap()).isEqualTo(forecast.overlap());
        assertThat(timeline.exposedStallNanos()).isEqualTo(forecast.exposedStallNanos(100));
    }

    @Test
    void s0x06C_everyBrokenOrderHasItsOwnName() {
        assertThat(chunk(new ChunkTimes(1, 10, 9, 20, 22))).hasValue(GateViolation.SENT_BEFORE_READY);
        assertThat(chunk(new ChunkTimes(1, 10, 12, 11, 22))).hasValue(GateViolation.RECEIVED_BEFORE_SENT);
        assertThat(chunk(new ChunkTimes(1, 10, 12, 20, 19))).hasValue(GateViolation.VISIBLE_BEFORE_RECEIVED);
        assertThat(ends(29, 50, 55)).hasValue(GateViolation.SEALED_BEFORE_READY);
        assertThat(ends(52, 51, 55)).hasValue(GateViolation.VALIDATED_BEFORE_SEALED);
        assertThat(ends(32, 44, 55)).hasValue(GateViolation.VALIDATED_BEFORE_VISIBLE);
        assertThat(ends(32, 50, 49)).hasValue(GateViolation.PUBLISHED_BEFORE_VALIDATED);
    }

    @Test
    void s0x0F_chunksUnderWayAtOnceCountOnce() {
        List<Span> spans = List.of(new Span(20, 30), new Span(0, 10), new Span(5, 15), new Span(15, 18));

        assertThat(OverlapLedger.of(spans, new Span(8, 25))).isEqualTo(new OverlapLedger(28, 15, 13));
    }

    @Test
    void s0x0F_timeDoesNotRunBackwards() {
        assertThatThrownBy(() -> new Span(2, 1)).hasMessageContaining("before its start");
    }

    private static Optional<GateViolation> chunk(ChunkTimes first) {
        return new HandoffTimeline(List.of(first, SECOND), 0, 32, 50, 55, 35).firstViolation();
    }

    private static Optional<GateViolation> ends(long sealed, long validated, long published) {
        return new HandoffTimeline(List.of(FIRST, SECOND), 0, sealed, validated, published, 35).firstViolation();
    }
}
