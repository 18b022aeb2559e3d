package dev.baton.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.ledger.TransferSchedule.Chunk;
import dev.baton.contract.ledger.TransferSchedule.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times are whole milliseconds here; the recurrence does not care about the unit. */
class TransferScheduleTest {
    private static final List<Chunk> FIXTURE = TransferSchedule.layered(List.of(36L, 50L, 68L, 86L), 2, 1024, 10);

    @Test
    void s0x06C_publishesAt120AfterTheLastLayerIsReadyAt86() {
        TransferSchedule schedule = TransferSchedule.streamed(FIXTURE, new Path(2048, 0, 2, 2));

        assertThat(schedule.finalReadyNanos()).isEqualTo(86);
        assertThat(schedule.allVisibleNanos()).isEqualTo(116);
        assertThat(schedule.validatedNanos()).isEqualTo(118);
        assertThat(schedule.publishedNanos()).isEqualTo(120);
        assertThat(schedule.visibleNanos()).containsExactly(46L, 56L, 66L, 76L, 86L, 96L, 106L, 116L);
    }

    @Test
    void s0x06C_noChunkLeavesBeforeItIsReady() {
        TransferSchedule schedule = TransferSchedule.streamed(FIXTURE, new Path(2048, 3, 2, 2));

        for (int i = 0; i < FIXTURE.size(); i++) {
            assertThat(schedule.chunks().get(i).startNanos())
                    .isGreaterThanOrEqualTo(FIXTURE.get(i).readyNanos());
        }
    }

    @Test
    void s0x06B_aNarrowWindowWaitsForVisibilityNotForReceipt() {
        List<Chunk> ready = TransferSchedule.layered(List.of(0L), 3, 1024, 10);

        assertThat(TransferSchedule.streamed(ready, new Path(1024, 5, 0, 0)).visibleNanos())
                .containsExactly(15L, 30L, 45L);
        assertThat(TransferSchedule.streamed(ready, new Path(2048, 5, 0, 0)).visibleNanos())
                .containsExactly(15L, 25L, 35L);
    }

    @Test
    void s0x06B_aChunkLargerThanTheWindowIsRefused() {
        assertThatThrownBy(() -> TransferSchedule.streamed(FIXTURE, new Path(1023, 0, 0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("credit window");
    }

    @Test
    void s0x08I_perLayerVisibilityFollowsTheRecurrence() {
        TransferSchedule schedule = TransferSchedule.streamed(perLayer(), Path.BARE);

        assertThat(schedule.visibleNanos()).containsExactly(35L, 60L, 85L, 110L);
        assertThat(schedule.overlap()).isEqualTo(new OverlapLedger(40, 30, 10));
    }

    @Test
    void s0x08I_requestLevelTransferHidesNothing() {
        TransferSchedule schedule = TransferSchedule.requestLevel(perLayer(), Path.BARE);

        assertThat(schedule.publishedNanos()).isEqualTo(140);
        assertThat(schedule.overlap()).isEqualTo(new OverlapLedger(40, 0, 40));
    }

    @Test
    void s0x08I_aSlowLinkLeavesATailThatTheMaximumOfBothTimesDoesNotShow() {
        List<Chunk> slow = TransferSchedule.layered(List.of(25L, 50L, 75L, 100L), 1, 1024, 40);

        assertThat(TransferSchedule.streamed(slow, Path.BARE).visibleNanos()).containsExactly(65L, 105L, 145L, 185L);
    }

    @Test
    void s0x0F_theStallIsWhatPublicationKeepsDecodeWaiting() {
        TransferSchedule schedule = TransferSchedule.streamed(FIXTURE, new Path(2048, 0, 2, 2));

        assertThat(schedule.exposedStallNanos(86)).isEqualTo(34);
        assertThat(schedule.exposedStallNanos(121)).isZero();
    }

    @Test
    void s0x06C_aScheduleNeedsAChunk() {
        assertThatThrownBy(() -> TransferSchedule.streamed(List.of(), Path.BARE))
                .hasMessageContaining("at least one");
    }

    private static List<Chunk> perLayer() {
        return TransferSchedule.layered(List.of(25L, 50L, 75L, 100L), 1, 1024, 10);
    }
}
