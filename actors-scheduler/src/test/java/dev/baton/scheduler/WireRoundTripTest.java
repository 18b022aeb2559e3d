package dev.baton.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.journal.WireMessage;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.Seal;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.Leg;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestEvent;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.Usage;
import dev.baton.scheduler.request.actor.JournalSamples;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.TransferProtocol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Every record of the scheduler's protocols and of its journal survives the way to another node. */
class WireRoundTripTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static final Fence FENCE = Samples.fence(1, 2, 3, 4, 5);

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private static <T> ActorRef<T> ref(Class<T> type) {
        return KIT.createTestProbe(type).getRef();
    }

    private static List<WireMessage> messages() {
        WorkerRef worker =
                Samples.worker("w", 3, ref(PrefillProtocol.Command.class), ref(DecodeProtocol.Command.class));
        RouteGrant grant = new RouteGrant(4, new RouteEpoch(9), worker, worker);
        TreeMap<Integer, Float> bias = new TreeMap<>();
        bias.put(5, 1.5f);
        DecodeSpec spec = new DecodeSpec(
                List.of(1, 2),
                List.of(List.of(3), List.of()),
                9,
                List.of(2),
                SamplingParams.plain(1, 3).withLogitBias(bias),
                1);
        TransitionRecord record = new TransitionRecord("request", "node", 1, 2, "A", "B", "C", "k=v");
        List<WireMessage> all = new ArrayList<>(List.of(
                new RequestProtocol.Submit(Samples.spec(2, 8, "x"), ref(RequestProtocol.Submitted.class)),
                new RequestProtocol.Submitted(true),
                new RequestProtocol.Pull(1, 2, 3, ref(RequestProtocol.Pulled.class)),
                new RequestProtocol.Pulled(
                        List.of(new OutputItem(0, 1, List.of(4), "é", FinishReason.STOP)),
                        Outcome.FAILED,
                        FailureCause.DEADLINE,
                        new Usage(1, 2, 3, 4),
                        true),
                new RequestProtocol.Pulled(List.of(), null, null, null, false),
                new RequestProtocol.Cancel(ref(RequestProtocol.Cancelled.class)),
                new RequestProtocol.Cancelled(true),
                new RequestProtocol.ReadTrace(ref(RequestProtocol.Trace.class)),
                new RequestProtocol.Trace(true, List.of(record)),
                new RequestProtocol.RouteGranted(grant),
                new RequestProtocol.RouteRefused(1, FailureCause.OVERLOADED, 5),
                new RequestProtocol.WorkerLost(new WorkerId("w"), new WorkerEpoch(3)),
                new RequestProtocol.DecodeReserved(FENCE, Samples.manifest(FENCE, 20), Samples.ENDPOINT),
                new RequestProtocol.ColocatedAccepted(FENCE),
                new RequestProtocol.LegRefused(FENCE, Leg.DECODE, LegRefusal.DRAINING),
                new RequestProtocol.PrefillAccepted(FENCE),
                new RequestProtocol.FirstTokens(FENCE, 0, List.of(1)),
                new RequestProtocol.KvPublished(FENCE, 6),
                new RequestProtocol.TokensProduced(FENCE, 1, 2, List.of(3)),
                new RequestProtocol.LegFailed(FENCE, Leg.PREFILL, "x"),
                new RequestProtocol.TransitionsReported(List.of(record)),
                new ClsProtocol.AskRoute(
                        Samples.TENANT, Samples.REQUEST, 1, 2, 3, 4, true, List.of(new WorkerId("w")), 5),
                new ClsProtocol.ReleaseRoute(Samples.REQUEST, 1),
                new ClsProtocol.Report(Samples.report(worker, Role.MIXED, 1, 2, 3)),
                new ClsProtocol.WorkerLeaving(new WorkerId("w"), new WorkerEpoch(3)),
                new ClsProtocol.ReadCluster(ref(ClsProtocol.ClusterView.class)),
                new ClsProtocol.ClusterView(List.of(Samples.report(worker, Role.DECODE, 1, 2, 3)), 1, 2),
                new DecodeProtocol.Reserve(
                        Samples.TENANT,
                        Samples.REQUEST,
                        Generation.FIRST,
                        Attempt.FIRST,
                        worker,
                        worker.epoch(),
                        RoleEpoch.FIRST,
                        spec),
                new DecodeProtocol.StartColocated(
                        Samples.TENANT,
                        Samples.REQUEST,
                        Generation.FIRST,
                        Attempt.FIRST,
                        worker.epoch(),
                        RoleEpoch.FIRST,
                        spec),
                new DecodeProtocol.TokensAccepted(FENCE, 1, 2),
                new DecodeProtocol.EndChoice(FENCE, 1),
                new DecodeProtocol.ReleaseDecode(FENCE, "x"),
                new DecodeProtocol.SourceSealed(new TransferProtocol.SourceSealed(
                        FENCE,
                        Samples.manifest(FENCE, 20).key(),
                        new Seal(List.of(7L), new Continuation(List.of(5), 1)))),
                new DecodeProtocol.SourceAborted(
                        new TransferProtocol.SourceAborted(FENCE, AbortReason.of(AbortCause.values()[0]))),
                new PrefillProtocol.StartPrefill(
                        Samples.manifest(FENCE, 20),
                        RoleEpoch.FIRST,
                        spec,
                        Samples.ENDPOINT,
                        ref(DecodeProtocol.Command.class)),
                new PrefillProtocol.CancelPrefill(FENCE, "x"),
                new PrefillProtocol.ChunksVisible(new TransferProtocol.ChunksVisible(FENCE, List.of(1), 2)),
                new PrefillProtocol.PublicationAcknowledged(
                        new TransferProtocol.PublicationAcknowledged(FENCE, FENCE.transferId())),
                new PrefillProtocol.DestinationAborted(
                        new TransferProtocol.DestinationAborted(FENCE, AbortReason.of(AbortCause.values()[0]))),
                new PrefillProtocol.StagingReleased(new TransferProtocol.StagingReleased(FENCE)),
                new DecodeProtocol.PrefillComputed(FENCE)));
        List<RequestEvent> events = List.of(
                new RequestEvent.Submitted(Samples.spec(1, 4), 1),
                new RequestEvent.RouteGranted(grant, 1),
                new RequestEvent.RouteRefused(1, FailureCause.NO_WORKER, 1),
                new RequestEvent.WorkerLost(new WorkerId("w"), new WorkerEpoch(3), 1),
                new RequestEvent.CancelRequested(1),
                new RequestEvent.Ticked(1),
                new RequestEvent.Recovered(1),
                new RequestEvent.DecodeReserved(FENCE, Samples.manifest(FENCE, 20), Samples.ENDPOINT, 1),
                new RequestEvent.ColocatedAccepted(FENCE, 1),
                new RequestEvent.LegRefused(FENCE, Leg.PREFILL, LegRefusal.WRONG_ROLE, 1),
                new RequestEvent.PrefillAccepted(FENCE, 1),
                new RequestEvent.FirstTokens(FENCE, 0, List.of(1, 2), 1),
                new RequestEvent.KvPublished(FENCE, 2, 1),
                new RequestEvent.TokensProduced(FENCE, 0, 1, List.of(3), 1),
                new RequestEvent.LegFailed(FENCE, Leg.DECODE, "x", 1));
        all.addAll(JournalSamples.of(events, List.of(record)));
        return all;
    }

    @Test
    void s0x01A_everyMessageAndJournalEntrySurvivesTheWay() {
        Serialization serialization = SerializationExtension.get(KIT.system());
        for (WireMessage message : messages()) {
            byte[] bytes = serialization.serialize(message).get();
            var serializer = serialization.findSerializerFor(message);
            String manifest = Serializers.manifestFor(serializer, message);
            assertThat(serializer.getClass().getSimpleName()).isEqualTo("JacksonCborSerializer");
            assertThat(serialization
                            .deserialize(bytes, serializer.identifier(), manifest)
                            .get())
                    .isEqualTo(message);
        }
    }

    @Test
    void s0x01A_noRecordOfAProtocolIsLeftOut() {
        Set<String> covered = new TreeSet<>();
        messages().forEach(m -> covered.add(m.getClass().getName()));
        List<String> declared = new ArrayList<>();
        for (Class<?> protocol :
                List.of(RequestProtocol.class, ClsProtocol.class, DecodeProtocol.class, PrefillProtocol.class)) {
            Arrays.stream(protocol.getDeclaredClasses())
                    .filter(Class::isRecord)
                    .filter(WireMessage.class::isAssignableFrom)
                    .map(Class::getName)
                    .forEach(declared::add);
        }
        assertThat(covered).containsAll(declared);
        assertThat(JournalSamples.eventNames()).hasSize(15);
    }
}
