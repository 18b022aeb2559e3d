package dev.baton.scheduler.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pekko.actor.typed.ActorSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Workers, network and client at their worst, from a seed: the answer is the model's, and nothing is kept. */
class RequestMachinePropertiesTest {
    private static final ActorSystem<Void> SYSTEM = Samples.quietSystem();
    private static final WorkerRef P = Samples.worker("p", 3, SYSTEM);
    private static final WorkerRef D = Samples.worker("d", 4, SYSTEM);
    private static final int SEEDS = 3_000;

    @AfterAll
    static void stop() {
        SYSTEM.terminate();
    }

    /** What the model says: choice and index decide the token, whoever computes it. */
    private static int token(int choice, int index, int length) {
        return index >= length + choice ? Samples.END : 'a' + (choice * 7 + index) % 26;
    }

    @Test
    void s0x10_outputIsExactlyWhatTheModelSaysUnderFaultsOfEveryKind() {
        int finished = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            if (new Run(seed).play()) {
                finished++;
            }
        }
        assertThat(finished).isBetween(SEEDS / 3, SEEDS - 1);
    }

    private static final class Run {
        private final long seed;
        private final Random random;
        private final RequestFlow flow = new RequestFlow(RequestLimits.defaults());
        private final List<RequestEvent> network = new ArrayList<>();
        private final int choices;
        private final int maxTokens;
        private final int length;
        private int seen;
        private long reservations;

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.choices = 1 + random.nextInt(3);
            this.maxTokens = 1 + random.nextInt(12);
            this.length = random.nextInt(12);
        }

        boolean play() {
            flow.submit(Samples.spec(choices, maxTokens));
            for (int step = 0; step < 10_000 && flow.state() instanceof RequestState.Open open; step++) {
                answerEffects();
                if (random.nextInt(400) == 0) {
                    flow.handle(new RequestEvent.CancelRequested(flow.now));
                } else if (random.nextInt(60) == 0) {
                    flow.handle(new RequestEvent.WorkerLost(D.worker(), D.epoch(), flow.now));
                } else if (random.nextInt(200) == 0) {
                    flow.handle(new RequestEvent.Recovered(flow.now));
                } else if (network.isEmpty()) {
                    flow.now = RequestMachine.dueAtNanos(open).orElseThrow();
                    flow.handle(new RequestEvent.Ticked(flow.now));
                } else {
                    deliver();
                }
            }
            assertThat(flow.state()).as("seed %s", seed).isInstanceOf(RequestState.Ended.class);
            network.forEach(flow::handle);
            answerEffects();
            network.forEach(flow::handle);
            check();
            return flow.state() instanceof RequestState.Finished;
        }

        /** Any message, lost or twice now and then. */
        private void deliver() {
            int at = random.nextInt(network.size());
            RequestEvent event = network.get(at);
            if (random.nextInt(8) != 0) {
                network.remove(at);
            }
            if (random.nextInt(40) != 0) {
                flow.handle(event);
            }
        }

        private void answerEffects() {
            for (; seen < flow.effects.size(); seen++) {
                switch (flow.effects.get(seen)) {
                    case RequestEffect.AskRoute ask -> {
                        WorkerRef p = random.nextInt(5) == 0 ? D : P;
                        network.add(new RequestEvent.RouteGranted(
                                new dev.baton.scheduler.cls.RouteGrant(
                                        ask.routeAsk(), dev.baton.contract.identity.RouteEpoch.FIRST, p, D),
                                flow.now));
                    }
                    case RequestEffect.ReserveDecode reserve -> {
                        Fence fence = reserved(reserve.fence());
                        int prompt = reserve.spec().promptTokens().size()
                                + reserve.spec().givenTokens().getFirst().size();
                        network.add(
                                random.nextInt(6) == 0
                                        ? new RequestEvent.LegRefused(
                                                reserve.fence(), Leg.DECODE, LegRefusal.NO_KV_CAPACITY, flow.now)
                                        : new RequestEvent.DecodeReserved(
                                                fence, Samples.manifest(fence, prompt), Samples.ENDPOINT, flow.now));
                    }
                    case RequestEffect.StartColocated start -> {
                        Fence fence = reserved(start.fence());
                        network.add(new RequestEvent.ColocatedAccepted(fence, flow.now));
                        produce(fence, start.spec());
                    }
                    case RequestEffect.StartPrefill start -> {
                        Fence fence = start.manifest().fence();
                        if (random.nextInt(8) == 0) {
                            network.add(
                                    new RequestEvent.LegRefused(fence, Leg.PREFILL, LegRefusal.QUEUE_FULL, flow.now));
                        } else {
                            network.add(new RequestEvent.PrefillAccepted(fence, flow.now));
                            network.add(new RequestEvent.KvPublished(fence, 1, flow.now));
                            produce(fence, start.spec());
                        }
                    }
                    case RequestEffect.AcceptTokens accept -> {}
                    case RequestEffect.ReleaseRoute release -> {}
                    case RequestEffect.CancelPrefill cancel -> {}
                    case RequestEffect.ReleaseDecode release -> {}
                    case RequestEffect.EndChoice end -> {}
                    case RequestEffect.Emit emit -> {}
                    case RequestEffect.TellEnded ended -> {}
                }
            }
        }

        private Fence reserved(Fence f) {
            return Samples.fence(
                    f.generation().value(),
                    f.attempt().value(),
                    f.sourceEpoch().value(),
                    f.destinationEpoch().value(),
                    ++reservations);
        }

        private void produce(Fence fence, dev.baton.scheduler.worker.DecodeSpec spec) {
            int given = spec.givenTokens().getFirst().size();
            List<Integer> first = new ArrayList<>();
            for (int c = 0; c < spec.choices(); c++) {
                int choice = spec.firstChoice() + c;
                first.add(token(choice, given, length));
                for (int from = given + 1; from < maxTokens; ) {
                    int to = Math.min(maxTokens, from + 1 + random.nextInt(3));
                    List<Integer> batch = new ArrayList<>();
                    for (int i = from; i < to; i++) {
                        batch.add(token(choice, i, length));
                    }
                    network.add(new RequestEvent.TokensProduced(fence, c, from, batch, flow.now));
                    from = to;
                }
            }
            network.add(new RequestEvent.FirstTokens(fence, given, first, flow.now));
            if (random.nextInt(6) == 0) {
                network.add(new RequestEvent.LegFailed(
                        fence, random.nextBoolean() ? Leg.PREFILL : Leg.DECODE, "fault", flow.now));
            }
        }

        private void check() {
            for (int i = 0; i < flow.items.size(); i++) {
                assertThat(flow.items.get(i).sequence()).as("seed %s", seed).isEqualTo(i);
            }
            boolean finished = flow.state() instanceof RequestState.Finished;
            for (int c = 0; c < choices; c++) {
                List<Integer> expected = new ArrayList<>();
                for (int i = 0; i < Math.min(maxTokens, length + c); i++) {
                    expected.add(token(c, i, length));
                }
                List<Integer> given = flow.tokens(c);
                assertThat(given).as("seed %s choice %s", seed, c).isEqualTo(expected.subList(0, given.size()));
                if (finished) {
                    assertThat(given).as("seed %s choice %s", seed, c).hasSameSizeAs(expected);
                }
            }
            assertThat(flow.nothingHeld())
                    .as("seed %s holds %s %s %s", seed, flow.routes, flow.decodes, flow.prefills)
                    .isTrue();
            assertThat(flow.tells).as("seed %s", seed).isEqualTo(1);
        }
    }
}
