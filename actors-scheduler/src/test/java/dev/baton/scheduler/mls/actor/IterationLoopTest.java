package dev.baton.scheduler.mls.actor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.scheduler.mls.MlsLimits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IterationLoopTest {
    private static final int BLOCK_TOKENS = 4;

    private final HashEngine engine = new HashEngine(2, 64, BLOCK_TOKENS, 16);
    private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private final LoopObserver observer = new LoopObserver() {
        @Override
        public void iterated(int prefillRows, int decodeRows, long durationNanos) {}

        @Override
        public void stopped(Throwable bug) {
            bugs.add(bug);
        }
    };

    private IterationLoop loop(int budget, int maxPrefills) {
        return new IterationLoop("test", engine, new MlsLimits(16, budget, maxPrefills, 8, false), observer);
    }

    /** Writes down what the loop says, in order. */
    private static final class Prompt implements PrefillWork {
        final List<String> said = Collections.synchronizedList(new ArrayList<>());
        final CountDownLatch over = new CountDownLatch(1);
        private final long id;
        private final int tokens;

        Prompt(long id, int tokens) {
            this.id = id;
            this.tokens = tokens;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public int[] blockTable() {
            int[] table = new int[Math.ceilDiv(tokens, BLOCK_TOKENS)];
            for (int i = 0; i < table.length; i++) {
                table[i] = (int) id * 8 + i;
            }
            return table;
        }

        @Override
        public void begin() {
            said.add("begin");
        }

        @Override
        public int tokenCount() {
            return tokens;
        }

        @Override
        public int token(int position) {
            return position;
        }

        @Override
        public void layerReady(int layer, int tokensReady) {
            said.add("layer " + layer + " to " + tokensReady);
        }

        @Override
        public void promptComputed(MemorySegment logits) {
            said.add("computed");
        }

        @Override
        public void removed() {
            said.add("removed");
            over.countDown();
        }

        @Override
        public void failed(Throwable bug) {
            said.add("failed");
            over.countDown();
        }

        void awaitOver() throws InterruptedException {
            assertThat(over.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void s0x06C_aLayerIsReadyBeforeTheNextRunsAndASliceBeforeTheNext() throws InterruptedException {
        try (IterationLoop loop = loop(4, 4)) {
            Prompt prompt = new Prompt(1, 6);
            assertThat(loop.add(prompt)).isTrue();
            loop.start();
            prompt.awaitOver();
            assertThat(prompt.said)
                    .containsExactly(
                            "begin",
                            "layer 0 to 4",
                            "layer 1 to 4",
                            "layer 0 to 6",
                            "layer 1 to 6",
                            "computed",
                            "removed");
            assertThat(loop.load()).isEqualTo(new LoopLoad(0, 0));
        }
        assertThat(engine.closed).isTrue();
        assertThat(bugs).isEmpty();
    }

    @Test
    void s0x08H_oneIterationNeverExceedsItsRowsOrItsBudget() throws InterruptedException {
        try (IterationLoop loop = loop(5, 8)) {
            List<Prompt> prompts = List.of(new Prompt(1, 7), new Prompt(2, 3), new Prompt(3, 9));
            prompts.forEach(loop::add);
            loop.start();
            for (Prompt prompt : prompts) {
                prompt.awaitOver();
            }
            assertThat(engine.batchRows).containsExactly(5, 5, 5, 4);
        }
    }

    @Test
    void s0x08F_moreWorkThanTheLimitsIsRefusedAndFitsAgainWhenSomeLeft() throws InterruptedException {
        try (IterationLoop loop = loop(16, 1)) {
            Prompt first = new Prompt(1, 4);
            assertThat(loop.add(first)).isTrue();
            assertThat(loop.add(new Prompt(2, 4))).isFalse();
            assertThat(loop.load().pendingPrefillTokens()).isEqualTo(4);
            loop.start();
            first.awaitOver();
            Prompt next = new Prompt(3, 4);
            assertThat(loop.add(next)).isTrue();
            next.awaitOver();
        }
    }

    @Test
    void s0x06E_removedWorkIsNotTouchedAfterItsAcknowledgement() throws InterruptedException {
        try (IterationLoop loop = loop(4, 4)) {
            Prompt prompt = new Prompt(1, 8);
            loop.add(prompt);
            loop.remove(1);
            loop.remove(99);
            loop.start();
            prompt.awaitOver();
            assertThat(prompt.said).containsExactly("begin", "removed");
            assertThat(loop.load().pendingPrefillTokens()).isZero();
        }
    }

    @Test
    void aDeviceErrorFailsEveryWorkAndStopsTheLoopForGood() throws InterruptedException {
        engine.failAtLayer = 1;
        IterationLoop loop = loop(4, 4);
        Prompt running = new Prompt(1, 4);
        Prompt waiting = new Prompt(2, 4);
        loop.add(running);
        loop.add(waiting);
        loop.start();
        running.awaitOver();
        waiting.awaitOver();
        loop.close();
        assertThat(running.said).containsExactly("begin", "layer 0 to 4", "failed");
        assertThat(waiting.said).containsExactly("begin", "failed");
        assertThat(bugs).hasSize(1);
        assertThat(loop.isStopped()).isTrue();
        assertThat(loop.add(new Prompt(3, 4))).isFalse();
        assertThat(engine.closed).isTrue();
    }

    @Test
    void aClosedLoopGivesEveryWorkBack() throws InterruptedException {
        IterationLoop loop = loop(4, 4);
        loop.start();
        loop.close();
        assertThat(loop.add(new Prompt(1, 4))).isFalse();
        assertThat(engine.closed).isTrue();
    }
}
