package dev.baton.scheduler.request.actor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.Usage;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.WorkerRef;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class RequestEntityTest {
    private static final ActorTestKit KIT = ActorTestKit.create(
            PersistenceTestKitPlugin.config().withFallback(com.typesafe.config.ConfigFactory.load()));
    private static final AtomicLong NAMES = new AtomicLong();
    private static final int A = 'a';

    private final TestProbe<ClsProtocol.Command> cls = KIT.createTestProbe(ClsProtocol.Command.class);
    private final TestProbe<PrefillProtocol.Command> prefill = KIT.createTestProbe(PrefillProtocol.Command.class);
    private final TestProbe<DecodeProtocol.Command> decode = KIT.createTestProbe(DecodeProtocol.Command.class);
    private final WorkerRef p = Samples.worker("p", 3, prefill.getRef(), decode.getRef());
    private final WorkerRef d = Samples.worker("d", 4, prefill.getRef(), decode.getRef());
    private final dev.baton.contract.identity.RequestId id =
            new dev.baton.contract.identity.RequestId("entity-" + NAMES.incrementAndGet());
    private final RequestEntity.Ports ports = new RequestEntity.Ports(
            model -> Samples.LETTERS,
            (model, message) -> cls.getRef().tell(message),
            () -> TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()),
            "node-1",
            RequestObserver.none());

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private dev.baton.scheduler.request.RequestSpec spec(int maxTokens) {
        var s = Samples.spec(1, maxTokens);
        return new dev.baton.scheduler.request.RequestSpec(
                s.tenant(),
                id,
                s.model(),
                s.promptTokens(),
                maxTokens,
                1,
                List.of(),
                false,
                s.sampling(),
                false,
                s.submittedEpochMicros(),
                s.deadlineMillis());
    }

    private ActorRef<RequestProtocol.Command> start(RequestSettings settings) {
        return KIT.spawn(RequestEntity.create(id, settings, ports, self -> self.tell(RequestEntity.stopMessage())));
    }

    private <T> T ask(
            ActorRef<RequestProtocol.Command> entity,
            Class<T> type,
            Function<ActorRef<T>, RequestProtocol.Command> message) {
        TestProbe<T> probe = KIT.createTestProbe(type);
        entity.tell(message.apply(probe.getRef()));
        return probe.expectMessageClass(type);
    }

    private RequestProtocol.Pulled pull(ActorRef<RequestProtocol.Command> entity, int from, long waitMillis) {
        return ask(entity, RequestProtocol.Pulled.class, r -> new RequestProtocol.Pull(from, 100, waitMillis, r));
    }

    /** Plays scheduler and both workers up to the accepted prefill. */
    private Fence bind(ActorRef<RequestProtocol.Command> entity) {
        long asked = cls.expectMessageClass(ClsProtocol.AskRoute.class).routeAsk();
        entity.tell(new RequestProtocol.RouteGranted(new RouteGrant(asked, RouteEpoch.FIRST, p, d)));
        DecodeProtocol.Reserve reserve = decode.expectMessageClass(DecodeProtocol.Reserve.class);
        Fence fence = new Fence(
                reserve.tenant(),
                reserve.request(),
                reserve.generation(),
                reserve.attempt(),
                p.epoch(),
                d.epoch(),
                new ReservationId(1));
        int tokens = reserve.spec().promptTokens().size()
                + reserve.spec().givenTokens().getFirst().size();
        entity.tell(new RequestProtocol.DecodeReserved(fence, Samples.manifest(fence, tokens), Samples.ENDPOINT));
        prefill.expectMessageClass(PrefillProtocol.StartPrefill.class);
        entity.tell(new RequestProtocol.PrefillAccepted(fence));
        return fence;
    }

    private static String text(List<OutputItem> items) {
        StringBuilder text = new StringBuilder();
        items.forEach(i -> text.append(i.text()));
        return text.toString();
    }

    @Test
    void s0x00A_aRequestIsServedByTwoWorkersAndReadByPosition() {
        ActorRef<RequestProtocol.Command> entity = start(RequestSettings.defaults());
        assertThat(ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r))
                        .accepted())
                .isTrue();
        Fence fence = bind(entity);
        TestProbe<RequestProtocol.Pulled> parked = KIT.createTestProbe(RequestProtocol.Pulled.class);
        entity.tell(new RequestProtocol.Pull(0, 10, 5_000, parked.getRef()));
        entity.tell(new RequestProtocol.FirstTokens(fence, 0, List.of(A)));
        assertThat(text(parked.expectMessageClass(RequestProtocol.Pulled.class).items()))
                .isEqualTo("a");
        entity.tell(new RequestProtocol.KvPublished(fence, 7));
        entity.tell(new RequestProtocol.TokensProduced(fence, 0, 1, List.of(A + 1)));
        assertThat(decode.expectMessageClass(DecodeProtocol.TokensAccepted.class)
                        .nextIndex())
                .isEqualTo(2);
        entity.tell(new RequestProtocol.TokensProduced(fence, 0, 2, List.of(A + 2)));
        decode.expectMessageClass(DecodeProtocol.EndChoice.class);
        decode.expectMessageClass(DecodeProtocol.ReleaseDecode.class);
        cls.expectMessageClass(ClsProtocol.ReleaseRoute.class);
        RequestProtocol.Pulled rest = pull(entity, 1, 0);
        assertThat(text(rest.items())).isEqualTo("bc");
        assertThat(rest.ended()).isEqualTo(Outcome.FINISHED);
        assertThat(rest.usage()).extracting(Usage::completionTokens).isEqualTo(3L);
        entity.tell(new RequestProtocol.TransitionsReported(
                List.of(new TransitionRecord("transfer-source", "w", 1, 0, "A", "B", "C", ""))));
        RequestProtocol.Trace trace = ask(entity, RequestProtocol.Trace.class, RequestProtocol.ReadTrace::new);
        assertThat(trace.transitions())
                .extracting(TransitionRecord::event)
                .startsWith("B", "Submitted", "RouteGranted");
        assertThat(trace.transitions())
                .isSortedAccordingTo(java.util.Comparator.comparingLong(TransitionRecord::atEpochMicros));
    }

    @Test
    void s0x10_anEntityThatCameBackContinuesWhereTheJournalEnds() {
        ActorRef<RequestProtocol.Command> entity = start(RequestSettings.defaults());
        ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r));
        Fence old = bind(entity);
        entity.tell(new RequestProtocol.FirstTokens(old, 0, List.of(A)));
        entity.tell(new RequestProtocol.TokensProduced(old, 0, 1, List.of(A + 1)));
        decode.expectMessageClass(DecodeProtocol.TokensAccepted.class);
        KIT.stop(entity);

        ActorRef<RequestProtocol.Command> again = start(RequestSettings.defaults());
        assertThat(decode.expectMessageClass(DecodeProtocol.ReleaseDecode.class).fence())
                .isEqualTo(old);
        assertThat(prefill.expectMessageClass(PrefillProtocol.CancelPrefill.class)
                        .fence())
                .isEqualTo(old);
        cls.expectMessageClass(ClsProtocol.ReleaseRoute.class);
        Fence fence = bind(again);
        assertThat(fence.generation()).isEqualTo(old.generation().next());
        again.tell(new RequestProtocol.TokensProduced(old, 0, 2, List.of(A + 20)));
        again.tell(new RequestProtocol.FirstTokens(fence, 2, List.of(A + 2)));
        RequestProtocol.Pulled all = pull(again, 2, 5_000);
        assertThat(text(all.items())).isEqualTo("c");
        assertThat(text(pull(again, 0, 0).items())).isEqualTo("abc");
        assertThat(all.ended()).isEqualTo(Outcome.FINISHED);
    }

    @Test
    void s0x10_parkedPullsAreBoundedAndAnsweredInTime() {
        RequestSettings base = RequestSettings.defaults();
        ActorRef<RequestProtocol.Command> entity =
                start(new RequestSettings(base.limits(), base.passivateAfter(), 1, base.maxPullWait(), 10));
        ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r));
        TestProbe<RequestProtocol.Pulled> first = KIT.createTestProbe(RequestProtocol.Pulled.class);
        TestProbe<RequestProtocol.Pulled> second = KIT.createTestProbe(RequestProtocol.Pulled.class);
        entity.tell(new RequestProtocol.Pull(0, 10, 50_000, first.getRef()));
        entity.tell(new RequestProtocol.Pull(0, 10, 50, second.getRef()));
        assertThat(first.expectMessageClass(RequestProtocol.Pulled.class).items())
                .isEmpty();
        assertThat(second.expectMessageClass(RequestProtocol.Pulled.class).ended())
                .isNull();
    }

    @Test
    void s0x10_cancelTellsBothLegsAndAnUnknownRequestIsUnknown() {
        ActorRef<RequestProtocol.Command> entity = start(RequestSettings.defaults());
        assertThat(pull(entity, 0, 1_000).known()).isFalse();
        assertThat(ask(entity, RequestProtocol.Cancelled.class, RequestProtocol.Cancel::new)
                        .known())
                .isFalse();
        ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r));
        bind(entity);
        assertThat(ask(entity, RequestProtocol.Cancelled.class, RequestProtocol.Cancel::new)
                        .known())
                .isTrue();
        decode.expectMessageClass(DecodeProtocol.ReleaseDecode.class);
        prefill.expectMessageClass(PrefillProtocol.CancelPrefill.class);
        assertThat(pull(entity, 0, 1_000).ended()).isEqualTo(Outcome.CANCELLED);
    }

    @Test
    void s0x10_submitIsIdempotentForEqualSpecsOnly() {
        ActorRef<RequestProtocol.Command> entity = start(RequestSettings.defaults());
        ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r));
        KIT.stop(entity);
        ActorRef<RequestProtocol.Command> again = start(RequestSettings.defaults());
        assertThat(ask(again, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r))
                        .accepted())
                .isTrue();
        assertThat(ask(again, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(4), r))
                        .accepted())
                .isFalse();
    }

    @Test
    void s0x00A_anEndedRequestLeavesMemoryWhenNobodyReads() {
        RequestSettings base = RequestSettings.defaults();
        ActorRef<RequestProtocol.Command> entity =
                start(new RequestSettings(base.limits(), Duration.ofMillis(50), 1, base.maxPullWait(), 10));
        TestProbe<Void> watcher = KIT.createTestProbe(Void.class);
        ask(entity, RequestProtocol.Submitted.class, r -> new RequestProtocol.Submit(spec(3), r));
        ask(entity, RequestProtocol.Cancelled.class, RequestProtocol.Cancel::new);
        watcher.expectTerminated(entity);
    }
}
