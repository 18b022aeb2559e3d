package dev.baton.scheduler.mls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MlsMachineTest {

    private static MlsMachine machine(int rows, int budget, boolean whole) {
        return new MlsMachine(new MlsLimits(rows, budget, 8, 8, whole));
    }

    @Test
    void s0x08H_theQueueIsNeverReorderedToFillTheBudget() {
        MlsMachine mls = machine(4096, 2048, true);
        mls.queuePrefill(1, 1000);
        mls.queuePrefill(2, 700);
        mls.queuePrefill(3, 600);
        mls.queuePrefill(4, 300);
        IterationPlan plan = mls.plan();
        assertThat(plan.slices())
                .containsExactly(new IterationPlan.Slice(1, 0, 1000), new IterationPlan.Slice(2, 0, 700));
        mls.completed(plan);
        assertThat(mls.pendingPrefillTokens()).isEqualTo(900);
        assertThat(mls.plan().slices()).extracting(IterationPlan.Slice::id).containsExactly(3L, 4L);
    }

    @Test
    void s0x00D_aLongPromptIsSplitByTheBudget() {
        MlsMachine mls = machine(64, 16, false);
        mls.queuePrefill(1, 20);
        mls.queuePrefill(2, 5);
        IterationPlan first = mls.plan();
        assertThat(first.slices()).containsExactly(new IterationPlan.Slice(1, 0, 16));
        mls.completed(first);
        assertThat(mls.plan().slices())
                .containsExactly(new IterationPlan.Slice(1, 16, 4), new IterationPlan.Slice(2, 0, 5));
    }

    @Test
    void s0x00D_aPromptLongerThanTheBudgetIsSplitThoughPromptsAreWhole() {
        MlsMachine mls = machine(64, 16, true);
        mls.queuePrefill(1, 20);
        IterationPlan first = mls.plan();
        assertThat(first.slices()).containsExactly(new IterationPlan.Slice(1, 0, 16));
    }

    @Test
    void s0x00C_decodesGetTheirRowsBeforePrompts() {
        MlsMachine mls = machine(4, 100, false);
        mls.queuePrefill(1, 10);
        mls.admitDecode(11);
        mls.admitDecode(12);
        IterationPlan plan = mls.plan();
        assertThat(plan.decodes()).containsExactly(11L, 12L);
        assertThat(plan.slices()).containsExactly(new IterationPlan.Slice(1, 0, 2));
        assertThat(plan.rows()).isEqualTo(4);
    }

    @Test
    void s0x00C_moreSequencesThanRowsTakeTurnsAndLeavePromptsARow() {
        MlsMachine mls = machine(3, 100, false);
        for (long id = 1; id <= 4; id++) {
            mls.admitDecode(id);
        }
        mls.queuePrefill(9, 10);
        IterationPlan first = mls.plan();
        assertThat(first.decodes()).containsExactly(1L, 2L);
        assertThat(first.slices()).containsExactly(new IterationPlan.Slice(9, 0, 1));
        mls.completed(first);
        assertThat(mls.plan().decodes()).containsExactly(3L, 4L);
    }

    @Test
    void s0x08F_queuesAreBounded() {
        MlsMachine mls = machine(4, 4, false);
        for (long id = 0; id < 8; id++) {
            assertThat(mls.queuePrefill(id, 1)).isEmpty();
            assertThat(mls.admitDecode(id)).isEmpty();
        }
        assertThat(mls.queuePrefill(99, 1)).contains(MlsMachine.Refusal.QUEUE_FULL);
        assertThat(mls.admitDecode(99)).contains(MlsMachine.Refusal.QUEUE_FULL);
        assertThat(mls.queuePrefill(1, 1)).contains(MlsMachine.Refusal.DUPLICATE);
        assertThat(mls.queuePrefill(100, 0)).contains(MlsMachine.Refusal.EMPTY_PROMPT);
    }

    @Test
    void s0x08F_whateverArrivesAndLeavesCountsReturnToZero() {
        Random random = new Random(11);
        MlsMachine mls = new MlsMachine(new MlsLimits(16, 8, 64, 64, random.nextBoolean()));
        for (int step = 0; step < 5_000; step++) {
            long id = random.nextInt(40);
            switch (random.nextInt(4)) {
                case 0 -> mls.queuePrefill(id, 1 + random.nextInt(30));
                case 1 -> mls.admitDecode(id);
                case 2 -> mls.remove(id);
                default -> {
                    IterationPlan plan = mls.plan();
                    assertThat(plan.rows()).isLessThanOrEqualTo(16);
                    assertThat(plan.isEmpty()).isEqualTo(mls.queuedPrefills() + mls.runningDecodes() == 0);
                    if (random.nextBoolean()) {
                        mls.remove(random.nextInt(40));
                    }
                    mls.completed(plan);
                }
            }
        }
        for (long id = 0; id < 40; id++) {
            mls.remove(id);
        }
        assertThat(List.of(mls.pendingPrefillTokens(), (long) mls.queuedPrefills(), (long) mls.runningDecodes()))
                .containsExactly(0L, 0L, 0L);
    }
}
