package dev.baton.decode.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.scheduler.mls.actor.WorkerConfig;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.LinkConfig;
import dev.baton.transfer.link.LinkMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Prefill worker, Aeron, decode worker, tokens: both actors with their real link and loop. */
class HandoffTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static DataPlane plane;
    private static RequestDriver requests;
    private static WorkerRig prefill;
    private static WorkerRig decode;
    private static int serial;

    @BeforeAll
    static void begin() {
        plane = AeronDataPlane.start(LinkConfig.forNode("handoff-test"), LinkMonitor.silent());
        requests = new RequestDriver();
        prefill = rig("prefill", 11, WorkerRig.config(64));
        decode = rig("decode", 22, WorkerRig.config(64));
    }

    @AfterAll
    static void end() {
        prefill.close();
        decode.close();
        plane.close();
        KIT.shutdownTestKit();
    }

    @AfterEach
    void s0x06E_nothingReservedNoCreditOutNoTransaction() {
        awaitIdle(prefill);
        awaitIdle(decode);
        assertThat(prefill.fenced).isEmpty();
        assertThat(decode.fenced).isEmpty();
    }

    private static WorkerRig rig(String name, long epoch, WorkerConfig config) {
        ToyModel model = new ToyModel(config.arenaBlocks(), config.maxBatchRows());
        return WorkerRig.toy(KIT, name, epoch, model, config, plane, requests);
    }

    private static void awaitIdle(WorkerRig rig) {
        await(rig.toString())
                .atMost(Duration.ofSeconds(5))
                .pollInterval(Duration.ofMillis(5))
                .until(rig::isIdle);
    }

    private static RequestDriver.Run finished(RequestDriver.Run run) {
        await(run.request.value())
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(2))
                .until(run::isReleased);
        assertThat(run.failures()).isEmpty();
        assertThat(run.refusals()).isEmpty();
        return run;
    }

    private static String name() {
        return "r" + serial++;
    }

    private static List<Integer> prompt(int tokens, long seed) {
        Random random = new Random(seed);
        return IntStream.range(0, tokens)
                .mapToObj(i -> random.nextInt(ToyModel.VOCABULARY))
                .toList();
    }

    private static DecodeSpec spec(List<Integer> prompt, int maxTokens, int choices, SamplingParams sampling) {
        return new DecodeSpec(prompt, Collections.nCopies(choices, List.of()), maxTokens, List.of(), sampling);
    }

    private static List<List<Integer>> colocated(DecodeSpec spec) {
        return finished(requests.start(name(), spec, decode.ref(), decode.ref()))
                .answers();
    }

    private static List<List<Integer>> handedOff(DecodeSpec spec) {
        return finished(requests.start(name(), spec, prefill.ref(), decode.ref()))
                .answers();
    }

    @Test
    void s0x00E_aHandedOffRequestGivesTheSameTokensAsAColocatedOne() {
        for (int promptTokens : new int[] {1, 3, 4, 5, 16, 17, 130}) {
            DecodeSpec spec = spec(prompt(promptTokens, promptTokens), 20, 1, SamplingParams.greedy());
            List<List<Integer>> expected = colocated(spec);
            assertThat(expected.getFirst()).hasSize(20);
            assertThat(handedOff(spec)).as("prompt of %d", promptTokens).isEqualTo(expected);
        }
    }

    @Test
    void s0x10_sampledChoicesAreTheSameAndEachHasItsOwnStream() {
        for (int promptTokens : new int[] {1, 7, 8, 33}) {
            DecodeSpec spec = spec(prompt(promptTokens, 5), 25, 3, SamplingParams.plain(1.5f, 42));
            List<List<Integer>> expected = colocated(spec);
            assertThat(expected.stream().distinct()).hasSize(3);
            assertThat(handedOff(spec)).as("prompt of %d", promptTokens).isEqualTo(expected);
        }
    }

    @Test
    void s0x00D_thePrefillBudgetChangesTheQuantumAndNotTheAnswer() {
        DecodeSpec spec = spec(prompt(150, 9), 12, 2, SamplingParams.plain(1f, 7));
        List<List<Integer>> expected = colocated(spec);
        for (int budget : new int[] {1, 7, 64, 512}) {
            WorkerRig chunked = rig("budget-" + budget, 100 + budget, WorkerRig.config(budget));
            try {
                RequestDriver.Run run = requests.start(name(), spec, chunked.ref(), decode.ref());
                assertThat(finished(run).answers()).as("budget %d", budget).isEqualTo(expected);
                awaitIdle(chunked);
            } finally {
                chunked.close();
            }
        }
    }

    @Test
    void s0x06B_aWindowSmallerThanOnePromptStillMakesProgressWithManyRequestsAtOnce() {
        List<DecodeSpec> specs = new ArrayList<>();
        List<RequestDriver.Run> runs = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            DecodeSpec spec = spec(prompt(40, i), 6, 1, SamplingParams.greedy());
            specs.add(spec);
            runs.add(requests.start(name(), spec, prefill.ref(), decode.ref()));
        }
        List<List<List<Integer>>> answers =
                runs.stream().map(run -> finished(run).answers()).toList();
        for (int i = 0; i < specs.size(); i++) {
            assertThat(answers.get(i)).isEqualTo(colocated(specs.get(i)));
        }
    }

    @Test
    void s0x0F_aContinuationGoesOnWhereTheTokensGivenEnd() {
        List<Integer> prompt = prompt(21, 3);
        SamplingParams sampling = SamplingParams.plain(1f, 99).withPenalties(1.2f, 0.3f, 0.2f);
        List<Integer> whole = colocated(spec(prompt, 30, 1, sampling)).getFirst();
        DecodeSpec rest = new DecodeSpec(prompt, List.of(whole.subList(0, 13)), 30, List.of(), sampling);
        assertThat(handedOff(rest).getFirst()).isEqualTo(whole.subList(13, 30));
    }

    @Test
    void s0x06E_aCancelAtAnyMomentLeavesNothingBehind() {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            DecodeSpec spec =
                    spec(prompt(1 + random.nextInt(120), i), 40, 1 + random.nextInt(3), SamplingParams.greedy());
            boolean local = random.nextInt(4) == 0;
            RequestDriver.Run run = requests.start(name(), spec, local ? decode.ref() : prefill.ref(), decode.ref());
            long waitNanos = random.nextInt(6_000_000);
            long until = System.nanoTime() + waitNanos;
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            run.cancel();
        }
    }

    @Test
    void s0x00A_aChoiceEndsByTheRequestsRuleOrByAStopToken() {
        List<Integer> prompt = prompt(10, 77);
        List<Integer> whole =
                colocated(spec(prompt, 40, 1, SamplingParams.greedy())).getFirst();
        RequestDriver.Run ended = requests.prepare(
                        name(),
                        Generation.FIRST,
                        spec(prompt, 40, 1, SamplingParams.greedy()),
                        prefill.ref(),
                        decode.ref())
                .stoppingAfter(5);
        finished(requests.start(ended));
        assertThat(ended.answers().getFirst()).startsWith(whole.subList(0, 5).toArray(Integer[]::new));
        int stop = whole.get(8);
        DecodeSpec withStop = new DecodeSpec(prompt, List.of(List.of()), 40, List.of(stop), SamplingParams.greedy());
        List<Integer> stopped = handedOff(withStop).getFirst();
        assertThat(stopped).isEqualTo(whole.subList(0, whole.indexOf(stop) + 1));
    }

    @Test
    void s0x06E_theSourceDiesInTheMiddleOfATransferAndBothSidesAreFreed() {
        ToyModel slow = new ToyModel(512, 600);
        slow.standStillAt = 80;
        WorkerRig dying = WorkerRig.toy(KIT, "dying", 33, slow, WorkerRig.config(1), plane, requests);
        try {
            RequestDriver.Run run = requests.start(
                    name(), spec(prompt(120, 1), 10, 1, SamplingParams.greedy()), dying.ref(), decode.ref());
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> dying.context.loop().load().pendingPrefillTokens() == 40);
            decode.decode.tell(new DecodeProtocol.PeerLost(new WorkerEpoch(999)));
            decode.decode.tell(new DecodeProtocol.PeerLost(dying.context.epoch()));
            await().atMost(Duration.ofSeconds(5)).until(run::isReleased);
            assertThat(run.failures()).contains("DECODE transfer_PEER_LOST");
            assertThat(run.published()).isZero();
            awaitIdle(decode);
            assertThat(dying.isIdle())
                    .as("the loop still holds the prompt's blocks")
                    .isFalse();
            slow.go.countDown();
            awaitIdle(dying);
        } finally {
            dying.close();
        }
    }

    @Test
    void s0x06E_theDestinationDiesAndTheSourceKeepsNothing() {
        WorkerRig dying = rig("dying-decode", 44, WorkerRig.config(64));
        try {
            RequestDriver.Run run = requests.start(
                    name(), spec(prompt(100, 1), 300, 1, SamplingParams.greedy()), prefill.ref(), dying.ref());
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> !run.answers().getFirst().isEmpty());
            prefill.prefill.tell(new PrefillProtocol.PeerLost(dying.context.epoch()));
            awaitIdle(prefill);
            run.cancel();
            awaitIdle(dying);
        } finally {
            dying.close();
        }
    }

    @Test
    void s0x06E_aDeviceErrorStopsTheLoopFencesTheWorkerAndFailsItsLegs() {
        ToyModel model = new ToyModel(512, 600);
        WorkerRig failing = WorkerRig.toy(KIT, "failing", 55, model, WorkerRig.config(64), plane, requests);
        model.broken = true;
        RequestDriver.Run run = requests.start(
                name(), spec(prompt(20, 1), 10, 1, SamplingParams.greedy()), failing.ref(), decode.ref());
        await().atMost(Duration.ofSeconds(5)).until(run::isReleased);
        assertThat(run.failures().getFirst()).startsWith("PREFILL worker fenced");
        assertThat(failing.fenced).isNotEmpty();
        assertThat(failing.context.loop().isStopped()).isTrue();
        RequestDriver.Run refused = requests.start(
                name(), spec(prompt(20, 1), 10, 1, SamplingParams.greedy()), failing.ref(), decode.ref());
        await().atMost(Duration.ofSeconds(5)).until(() -> !refused.refusals().isEmpty());
        refused.cancel();
        awaitIdle(decode);
        failing.close();
    }

    @Test
    void s0x01A_releaseWithoutAReservationEndsTheLegAtOnceAndALaterReserveOfTheAttemptIsRefused() {
        WorkerRig victim = rig("unseen", 67, WorkerRig.config(64));
        try {
            RequestDriver.Run run = requests.prepare(
                            name(),
                            Generation.FIRST,
                            spec(prompt(30, 1), 400, 1, SamplingParams.greedy()),
                            prefill.ref(),
                            victim.ref())
                    .holdingTokens();
            requests.start(run);
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> run.answers().getFirst().size() > 1);
            Fence fence = Objects.requireNonNull(run.fence);
            for (Fence wrong : FenceMutations.of(fence).subList(0, 6)) {
                victim.decode.tell(new DecodeProtocol.ReleaseDecode(withoutReservation(wrong), "forged"));
            }
            assertThat(victim.decodeLoad().legs()).isEqualTo(1);
            victim.decode.tell(new DecodeProtocol.ReleaseDecode(withoutReservation(fence), "cancelled"));
            awaitIdle(victim);
            requests.start(run);
            await().atMost(Duration.ofSeconds(5)).until(() -> run.refusals().contains(LegRefusal.SUPERSEDED));
            assertThat(victim.decodeLoad().legs()).isZero();
            run.cancel();
        } finally {
            victim.close();
        }
    }

    private static Fence withoutReservation(Fence f) {
        return new Fence(
                f.tenant(),
                f.request(),
                f.generation(),
                f.attempt(),
                f.sourceEpoch(),
                f.destinationEpoch(),
                new ReservationId(0));
    }

    @Test
    void s0x01A_aMessageWithOneWrongFieldInItsFenceIsRefusedAndPublishesNothing() {
        WorkerRig victim = rig("victim", 66, WorkerRig.config(64));
        try {
            RequestDriver.Run run = requests.prepare(
                            name(),
                            Generation.FIRST,
                            spec(prompt(30, 1), 400, 1, SamplingParams.greedy()),
                            prefill.ref(),
                            victim.ref())
                    .holdingTokens();
            requests.start(run);
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> run.answers().getFirst().size() > 1);
            Fence fence = Objects.requireNonNull(run.fence);
            for (Fence wrong : FenceMutations.of(fence)) {
                victim.decode.tell(new DecodeProtocol.ReleaseDecode(wrong, "forged"));
                victim.decode.tell(new DecodeProtocol.EndChoice(wrong, 0));
                victim.decode.tell(new DecodeProtocol.TokensAccepted(wrong, 0, 1_000));
            }
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> victim.metrics.count("decode stale ReleaseDecode") == 7
                            && victim.metrics.count("decode stale EndChoice") == 7
                            && victim.metrics.count("decode stale TokensAccepted") == 7);
            assertThat(victim.decodeLoad().legs()).isEqualTo(1);
            // One batch was sent and is not acknowledged: the rest waits (at most one per choice is under way).
            assertThat(run.answers().getFirst()).hasSize(2);
            run.cancel();
            awaitIdle(victim);
        } finally {
            victim.close();
        }
    }

    @Test
    void s0x10_eachIdentityThatDiffersRefusesThePrefillLegWithItsOwnReason() {
        RequestDriver.Run run = requests.prepare(
                name(),
                Generation.FIRST,
                spec(prompt(50, 1), 3, 1, SamplingParams.greedy()),
                prefill.ref(),
                decode.ref());
        finished(requests.start(run));
        PrefillProtocol.StartPrefill real = Objects.requireNonNull(run.start);
        ManifestMutations.refusals(real).forEach((forged, reason) -> {
            RequestDriver.Run victim = requests.prepare(
                    forged.manifest().fence().request().value(),
                    Generation.FIRST,
                    forged.spec(),
                    prefill.ref(),
                    decode.ref());
            prefill.prefill.tell(forged);
            await(reason.name())
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> !victim.refusals().isEmpty());
            assertThat(victim.refusals()).containsExactly(reason);
        });
    }

    @Test
    void s0x06D_anOlderGenerationIsRefusedAndANewerOneTakesOver() {
        String request = name();
        DecodeSpec spec = spec(prompt(50, 4), 400, 1, SamplingParams.greedy());
        RequestDriver.Run first = requests.prepare(request, new Generation(2), spec, prefill.ref(), decode.ref())
                .holdingTokens();
        requests.start(first);
        await().atMost(Duration.ofSeconds(5))
                .until(() -> first.answers().getFirst().size() > 1);
        DecodeSpec shorter = spec(prompt(50, 4), 9, 1, SamplingParams.greedy());
        RequestDriver.Run stale = requests.prepare(request, new Generation(1), shorter, prefill.ref(), decode.ref());
        requests.start(stale);
        await().atMost(Duration.ofSeconds(5)).until(() -> !stale.refusals().isEmpty());
        assertThat(stale.refusals()).containsExactly(LegRefusal.SUPERSEDED);
        RequestDriver.Run newer = requests.prepare(request, new Generation(3), shorter, prefill.ref(), decode.ref());
        assertThat(finished(requests.start(newer)).answers()).isEqualTo(colocated(shorter));
    }

    @Test
    void s0x0F_theTimelineOfBothEndsCanBeReadBack() {
        DecodeSpec spec = spec(prompt(60, 8), 10, 1, SamplingParams.greedy());
        RequestDriver.Run run = finished(requests.start(name(), spec, prefill.ref(), decode.ref()));
        await().atMost(Duration.ofSeconds(5))
                .until(() -> run.transitions().stream()
                                .map(TransitionRecord::machine)
                                .distinct()
                                .count()
                        == 3);
        assertThat(run.published()).isEqualTo(1);
        assertThat(run.transitions().stream()
                        .filter(t -> t.machine().equals("transfer-destination"))
                        .map(TransitionRecord::to)
                        .distinct())
                .containsExactly("Planned", "Reserved", "Transferring", "Validated", "Published");
        assertThat(run.transitions())
                .anySatisfy(t -> assertThat(t.detail())
                        .contains("logicalKvBytes=" + 60 * ToyModel.ABI.tokenBytes())
                        .contains("exposedStallNanos="));
    }

    @Test
    void s0x06E_aReservationThatNobodyFillsEndsByItsDeadline() {
        WorkerRig waiting = rig("waiting", 77, WorkerRig.impatient());
        try {
            ActorRef<PrefillProtocol.Command> nobody =
                    KIT.<PrefillProtocol.Command>createTestProbe().ref();
            WorkerRef silent = new WorkerRef(
                    new WorkerId("silent"), new WorkerEpoch(78), prefill.ref().roleEpoch(), nobody, decode.decode);
            RequestDriver.Run run =
                    requests.start(name(), spec(prompt(20, 1), 10, 1, SamplingParams.greedy()), silent, waiting.ref());
            await().atMost(Duration.ofSeconds(5)).until(run::isReleased);
            assertThat(run.failures().getFirst()).startsWith("DECODE transfer_DEADLINE");
            awaitIdle(waiting);
            assertThat(waiting.fenced).isEmpty();
        } finally {
            waiting.close();
        }
    }

    @Test
    void s0x06E_aDestinationThatNeverAnswersKeepsNoBlockOfTheSource() {
        WorkerRig source = rig("unanswered", 79, WorkerRig.impatient());
        try {
            RequestDriver.Run run = requests.prepare(
                    name(),
                    Generation.FIRST,
                    spec(prompt(20, 1), 3, 1, SamplingParams.greedy()),
                    source.ref(),
                    decode.ref());
            finished(requests.start(run));
            awaitIdle(source);
            PrefillProtocol.StartPrefill real = Objects.requireNonNull(run.start);
            RequestDriver.Run orphan =
                    requests.prepare("orphan", Generation.FIRST, real.spec(), source.ref(), decode.ref());
            PrefillProtocol.StartPrefill renamed = ManifestMutations.renamed(real, "orphan");
            ActorRef<DecodeProtocol.Command> deaf =
                    KIT.<DecodeProtocol.Command>createTestProbe().ref();
            source.prefill.tell(new PrefillProtocol.StartPrefill(
                    renamed.manifest(), renamed.roleEpoch(), renamed.spec(), renamed.endpoint(), deaf));
            await().atMost(Duration.ofSeconds(8)).until(() -> !orphan.failures().isEmpty());
            assertThat(orphan.failures().getFirst()).startsWith("PREFILL transfer_");
            awaitIdle(source);
            assertThat(source.fenced).isEmpty();
        } finally {
            source.close();
        }
    }

    @Test
    void s0x06E_aRunningDecodeWhoseRequestFallsSilentEnds() {
        WorkerRig lonely = rig("lonely", 80, WorkerRig.impatient());
        try {
            RequestDriver.Run run = requests.prepare(
                            name(),
                            Generation.FIRST,
                            spec(prompt(20, 1), 400, 2, SamplingParams.greedy()),
                            lonely.ref(),
                            lonely.ref())
                    .holdingTokens();
            requests.start(run);
            await().atMost(Duration.ofSeconds(5)).until(run::isReleased);
            assertThat(run.failures()).contains("DECODE request_silent");
            awaitIdle(lonely);
        } finally {
            lonely.close();
        }
    }
}
