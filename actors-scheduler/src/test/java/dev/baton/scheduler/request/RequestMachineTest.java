package dev.baton.scheduler.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.machine.Decision;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class RequestMachineTest {
    private static final ActorSystem<Void> SYSTEM = Samples.quietSystem();
    private static final WorkerRef P = Samples.worker("p", 3, SYSTEM);
    private static final WorkerRef D = Samples.worker("d", 4, SYSTEM);
    private static final WorkerRef D2 = Samples.worker("d2", 5, SYSTEM);

    private final RequestFlow flow = new RequestFlow(RequestLimits.defaults());

    @AfterAll
    static void stop() {
        SYSTEM.terminate();
    }

    private Fence prefilling(RequestSpec spec) {
        flow.submit(spec);
        flow.grant(P, D);
        Fence fence = flow.reserved(9);
        flow.handle(new RequestEvent.PrefillAccepted(fence, flow.now));
        return fence;
    }

    private Fence decoding(RequestSpec spec, Integer... first) {
        Fence fence = prefilling(spec);
        flow.first(fence, 0, first);
        flow.published(fence);
        assertThat(flow.state()).isInstanceOf(RequestState.Decoding.class);
        return fence;
    }

    @Test
    void s0x00A_oneRequestPassesEveryPhaseAndReleasesBothLegs() {
        flow.submit(Samples.spec(1, 4));
        assertThat(flow.state()).isInstanceOf(RequestState.Routing.class);
        flow.grant(P, D);
        assertThat(flow.state()).isInstanceOf(RequestState.Reserving.class);
        Fence fence = flow.reserved(9);
        assertThat(flow.state()).isInstanceOf(RequestState.Prefilling.class);
        assertThat(flow.lastOf(RequestEffect.StartPrefill.class).prefill()).isEqualTo(P);
        flow.handle(new RequestEvent.PrefillAccepted(fence, 1));
        flow.now = 100;
        flow.first(fence, 0, (int) 'a');
        assertThat(flow.state()).isInstanceOf(RequestState.PrefillComputeComplete.class);
        flow.published(fence);
        assertThat(flow.state()).isInstanceOf(RequestState.Decoding.class);
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c', Samples.END);
        assertThat(flow.state()).isInstanceOf(RequestState.Finished.class);
        assertThat(flow.text(0)).isEqualTo("abc");
        assertThat(flow.items.getLast().finish()).isEqualTo(FinishReason.STOP);
        assertThat(flow.lastOf(RequestEffect.TellEnded.class).usage()).isEqualTo(new Usage(3, 3, 99, 5));
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x00A_tokensAndPublicationMayOvertakeTheFirstTokens() {
        Fence fence = prefilling(Samples.spec(1, 10));
        flow.published(fence);
        assertThat(flow.state()).isInstanceOf(RequestState.KvReady.class);
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c');
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c');
        assertThat(flow.items).isEmpty();
        flow.first(fence, 0, (int) 'a');
        assertThat(flow.state()).isInstanceOf(RequestState.Decoding.class);
        assertThat(flow.text(0)).isEqualTo("abc");
        assertThat(flow.lastOf(RequestEffect.AcceptTokens.class).nextIndex()).isEqualTo(3);
        assertThat(flow.refusals).isEmpty();
    }

    @Test
    void s0x00A_tokensBeforePublicationAreGivenAtOnce() {
        Fence fence = prefilling(Samples.spec(1, 10));
        flow.produced(fence, 0, 1, (int) 'b');
        flow.first(fence, 0, (int) 'a');
        flow.produced(fence, 0, 2, (int) 'c');
        assertThat(flow.state()).isInstanceOf(RequestState.PrefillComputeComplete.class);
        flow.published(fence);
        assertThat(flow.text(0)).isEqualTo("abc");
    }

    @Test
    void s0x00A_repeatedTokensAreDroppedAndGapsRefused() {
        Fence fence = decoding(Samples.spec(1, 10), (int) 'a');
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c');
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c');
        flow.produced(fence, 0, 2, (int) 'c', (int) 'd');
        flow.produced(fence, 0, 9, (int) 'z');
        assertThat(flow.text(0)).isEqualTo("abcd");
        assertThat(flow.refusals).containsExactly(RequestMachine.Refusal.TOKEN_GAP);
        assertThat(flow.items.stream().map(OutputItem::sequence)).containsExactly(0, 1, 2);
    }

    @Test
    void s0x01A_everyFenceFieldIsRefusedWithItsOwnReason() {
        Fence f = decoding(Samples.spec(1, 10), (int) 'a');
        record Mutation(Fence fence, RequestMachine.Refusal reason) {}
        List<Mutation> table = List.of(
                new Mutation(
                        new Fence(
                                new TenantId("x"),
                                f.request(),
                                f.generation(),
                                f.attempt(),
                                f.sourceEpoch(),
                                f.destinationEpoch(),
                                f.reservation()),
                        RequestMachine.Refusal.TENANT),
                new Mutation(
                        new Fence(
                                f.tenant(),
                                new RequestId("x"),
                                f.generation(),
                                f.attempt(),
                                f.sourceEpoch(),
                                f.destinationEpoch(),
                                f.reservation()),
                        RequestMachine.Refusal.REQUEST),
                new Mutation(Samples.fence(2, 1, 3, 4, 9), RequestMachine.Refusal.GENERATION),
                new Mutation(Samples.fence(1, 2, 3, 4, 9), RequestMachine.Refusal.ATTEMPT),
                new Mutation(Samples.fence(1, 1, 8, 4, 9), RequestMachine.Refusal.SOURCE_EPOCH),
                new Mutation(Samples.fence(1, 1, 3, 8, 9), RequestMachine.Refusal.DESTINATION_EPOCH),
                new Mutation(Samples.fence(1, 1, 3, 4, 8), RequestMachine.Refusal.RESERVATION));
        for (Mutation mutation : table) {
            assertThat(flow.handle(new RequestEvent.TokensProduced(mutation.fence(), 0, 1, List.of(1), 1)))
                    .isEqualTo(Decision.refused(mutation.reason()));
        }
        flow.produced(f, 0, 1, (int) 'b');
        assertThat(flow.text(0)).isEqualTo("ab");
    }

    @Test
    void s0x01A_messagesOfAnOlderGenerationAreStale() {
        Fence old = decoding(Samples.spec(1, 10), (int) 'a');
        flow.handle(new RequestEvent.LegFailed(old, Leg.DECODE, "oom", 1));
        flow.grant(P, D2);
        flow.reserved(1);
        assertThat(flow.handle(new RequestEvent.TokensProduced(old, 0, 1, List.of(1), 1)))
                .isEqualTo(Decision.ignored("stale"));
    }

    @Test
    void s0x10_aFailedLegContinuesFromPromptPlusTokensGiven() {
        Fence old = decoding(Samples.spec(1, 10), (int) 'a');
        flow.produced(old, 0, 1, (int) 'b');
        flow.handle(new RequestEvent.WorkerLost(D.worker(), D.epoch(), 1));
        RequestEffect.AskRoute ask = flow.lastOf(RequestEffect.AskRoute.class);
        assertThat(ask.promptTokens()).isEqualTo(5);
        assertThat(ask.growthTokensPerChoice()).isEqualTo(8);
        assertThat(ask.avoid()).containsExactly(D.worker());
        flow.grant(P, D2);
        RequestEffect.ReserveDecode reserve = flow.lastOf(RequestEffect.ReserveDecode.class);
        assertThat(reserve.fence().generation().value()).isEqualTo(2);
        assertThat(reserve.spec().givenTokens()).containsExactly(List.of((int) 'a', (int) 'b'));
        Fence fence = flow.reserved(2);
        flow.first(fence, 2, (int) 'c');
        flow.published(fence);
        flow.produced(fence, 0, 3, Samples.END);
        assertThat(flow.text(0)).isEqualTo("abc");
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x10_divergedChoicesContinueOneAfterAnother() {
        Fence old = decoding(Samples.spec(3, 4), (int) 'a', (int) 'b', (int) 'c');
        flow.produced(old, 1, 1, Samples.END);
        flow.handle(new RequestEvent.LegFailed(old, Leg.DECODE, "lost", 1));
        flow.grant(P, D2);
        RequestEffect.ReserveDecode first = flow.lastOf(RequestEffect.ReserveDecode.class);
        assertThat(first.spec().firstChoice()).isZero();
        assertThat(first.spec().choices()).isEqualTo(1);
        Fence leg = flow.reserved(2);
        flow.first(leg, 1, Samples.END);
        assertThat(flow.state()).isInstanceOf(RequestState.Routing.class);
        flow.grant(P, D2);
        RequestEffect.ReserveDecode second = flow.lastOf(RequestEffect.ReserveDecode.class);
        assertThat(second.spec().firstChoice()).isEqualTo(2);
        assertThat(second.fence().attempt().value()).isEqualTo(2);
        Fence last = flow.reserved(3);
        flow.first(last, 1, (int) 'd');
        flow.published(last);
        flow.produced(last, 0, 2, (int) 'e', (int) 'f');
        assertThat(flow.state()).isInstanceOf(RequestState.Finished.class);
        assertThat(List.of(flow.text(0), flow.text(1), flow.text(2))).containsExactly("a", "b", "cdef");
        assertThat(flow.items.getLast().finish()).isEqualTo(FinishReason.LENGTH);
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x0F_aRefusalOfEitherLegReleasesTheOther() {
        flow.submit(Samples.spec(1, 4));
        flow.grant(P, D);
        flow.handle(
                new RequestEvent.LegRefused(Samples.fence(1, 1, 3, 4, 0), Leg.DECODE, LegRefusal.NO_KV_CAPACITY, 1));
        assertThat(flow.last(RequestEffect.ReleaseDecode.class)).isEmpty();
        assertThat(flow.lastOf(RequestEffect.AskRoute.class).avoid()).containsExactly(D.worker());
        assertThat(flow.decodes).isEmpty();
        flow.grant(P, D2);
        Fence fence = flow.reserved(3);
        flow.handle(new RequestEvent.LegRefused(fence, Leg.PREFILL, LegRefusal.QUEUE_FULL, 1));
        assertThat(flow.lastOf(RequestEffect.ReleaseDecode.class).fence()).isEqualTo(fence);
        assertThat(flow.nothingHeld()).isTrue();
        assertThat(flow.state()).isInstanceOf(RequestState.Resting.class);
        flow.handle(new RequestEvent.Ticked(1_000_000_000));
        flow.grant(P, D);
        assertThat(flow.lastOf(RequestEffect.ReserveDecode.class)
                        .fence()
                        .attempt()
                        .value())
                .isEqualTo(3);
        assertThat(flow.lastOf(RequestEffect.ReserveDecode.class)
                        .fence()
                        .generation()
                        .value())
                .isEqualTo(1);
    }

    @Test
    void s0x0F_whatCanNeverFitFailsAtOnce() {
        flow.submit(Samples.spec(1, 4));
        flow.grant(P, D);
        flow.handle(new RequestEvent.LegRefused(Samples.fence(1, 1, 3, 4, 0), Leg.DECODE, LegRefusal.NEVER_FITS, 1));
        assertThat(((RequestState.Failed) flow.state()).cause()).isEqualTo(FailureCause.TOO_LARGE);
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x0F_aLateReservationOfAnAbandonedBindingIsReleased() {
        flow.submit(Samples.spec(1, 4));
        flow.grant(P, D);
        flow.handle(new RequestEvent.CancelRequested(1));
        assertThat(flow.nothingHeld()).isTrue();
        Fence fence = flow.reserved(7);
        assertThat(flow.lastOf(RequestEffect.ReleaseDecode.class).fence()).isEqualTo(fence);
        assertThat(flow.state()).isInstanceOf(RequestState.Cancelled.class);
    }

    @Test
    void s0x10_cancelTellsBothLegsAtOnce() {
        Fence fence = prefilling(Samples.spec(1, 4));
        flow.handle(new RequestEvent.CancelRequested(1));
        assertThat(flow.lastOf(RequestEffect.CancelPrefill.class).fence()).isEqualTo(fence);
        assertThat(flow.lastOf(RequestEffect.ReleaseDecode.class).fence()).isEqualTo(fence);
        assertThat(flow.nothingHeld()).isTrue();
        assertThat(flow.handle(new RequestEvent.FirstTokens(fence, 0, List.of(1), 2)))
                .isEqualTo(Decision.ignored("request ended"));
    }

    @Test
    void s0x10_retriesAreBounded() {
        flow.submit(Samples.spec(1, 4));
        for (int i = 0; i < 4; i++) {
            flow.grant(P, D);
            Fence fence = flow.reserved(i + 1);
            flow.handle(new RequestEvent.LegFailed(fence, Leg.PREFILL, "crash", 1));
        }
        assertThat(((RequestState.Failed) flow.state()).cause()).isEqualTo(FailureCause.RETRIES_EXHAUSTED);
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x00A_colocatedServiceGivesTheSameAnswerWithoutTransfer() {
        flow.submit(Samples.spec(1, 3));
        flow.grant(D, D);
        assertThat(flow.last(RequestEffect.ReserveDecode.class)).isEmpty();
        Fence fence = Samples.fence(1, 1, 4, 4, 6);
        flow.handle(new RequestEvent.ColocatedAccepted(fence, 1));
        flow.first(fence, 0, (int) 'a');
        flow.produced(fence, 0, 1, (int) 'b', (int) 'c');
        assertThat(flow.state()).isInstanceOf(RequestState.Finished.class);
        assertThat(flow.text(0)).isEqualTo("abc");
        assertThat(flow.nothingHeld()).isTrue();
    }

    @Test
    void s0x10_everyOpenStateEndsByItsDeadlineThoughNobodyAnswers() {
        for (int stage = 0; stage < 7; stage++) {
            RequestFlow silent = new RequestFlow(RequestLimits.defaults());
            silent.submit(Samples.spec(1, 4));
            if (stage > 0) {
                silent.grant(P, D);
            }
            Fence fence = stage > 1 ? silent.reserved(3) : Samples.fence(1, 1, 3, 4, 3);
            if (stage == 3 || stage == 5) {
                silent.first(fence, 0, (int) 'a');
            }
            if (stage == 4 || stage == 5) {
                silent.published(fence);
            }
            if (stage == 6) {
                silent.handle(new RequestEvent.LegRefused(fence, Leg.PREFILL, LegRefusal.DRAINING, 1));
            }
            int ticks = 0;
            while (silent.state() instanceof RequestState.Open) {
                long due = RequestMachine.dueAtNanos(silent.state()).orElseThrow();
                assertThat(silent.handle(new RequestEvent.Ticked(due)))
                        .as("stage %s state %s", stage, silent.state())
                        .isInstanceOf(Decision.Moved.class);
                assertThat(++ticks).isLessThan(200);
            }
            assertThat(silent.nothingHeld()).isTrue();
            assertThat(silent.tells).isEqualTo(1);
        }
    }

    @Test
    void s0x10_anOwnerThatCameBackContinuesUnderANewGeneration() {
        Fence fence = decoding(Samples.spec(1, 10), (int) 'a');
        flow.handle(new RequestEvent.Recovered(2));
        assertThat(flow.lastOf(RequestEffect.ReleaseDecode.class).fence()).isEqualTo(fence);
        flow.grant(P, D);
        assertThat(flow.lastOf(RequestEffect.ReserveDecode.class)
                        .fence()
                        .generation()
                        .value())
                .isEqualTo(2);
    }

    @Test
    void s0x01A_aManifestOfOtherTokensIsRefused() {
        flow.submit(Samples.spec(1, 4));
        flow.grant(P, D);
        Fence fence = Samples.fence(1, 1, 3, 4, 9);
        assertThat(flow.handle(
                        new RequestEvent.DecodeReserved(fence, Samples.manifest(fence, 17), Samples.ENDPOINT, 1)))
                .isEqualTo(Decision.refused(RequestMachine.Refusal.MANIFEST));
    }

    @Test
    void s0x10_aRepeatedSubmitIsIgnoredAndAnotherSpecRefused() {
        flow.submit(Samples.spec(1, 4));
        assertThat(flow.handle(new RequestEvent.Submitted(Samples.spec(1, 4), 2)))
                .isEqualTo(Decision.ignored("already submitted"));
        assertThat(flow.handle(new RequestEvent.Submitted(Samples.spec(1, 5), 2)))
                .isEqualTo(Decision.refused(RequestMachine.Refusal.ANOTHER_SPEC));
    }
}
