package dev.baton.scheduler.request;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.transfer.link.DataEndpoint;
import java.util.List;

/**
 * Facts that reach the request machine; those it adopts are journaled under the names below, which never change. {@code
 * atNanos} counts from the epoch, so that deadlines keep their meaning when the entity comes back on another node.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = RequestEvent.Submitted.class, name = "submitted"),
    @JsonSubTypes.Type(value = RequestEvent.RouteGranted.class, name = "route-granted"),
    @JsonSubTypes.Type(value = RequestEvent.RouteRefused.class, name = "route-refused"),
    @JsonSubTypes.Type(value = RequestEvent.WorkerLost.class, name = "worker-lost"),
    @JsonSubTypes.Type(value = RequestEvent.CancelRequested.class, name = "cancel-requested"),
    @JsonSubTypes.Type(value = RequestEvent.Ticked.class, name = "ticked"),
    @JsonSubTypes.Type(value = RequestEvent.Recovered.class, name = "recovered"),
    @JsonSubTypes.Type(value = RequestEvent.DecodeReserved.class, name = "decode-reserved"),
    @JsonSubTypes.Type(value = RequestEvent.ColocatedAccepted.class, name = "colocated-accepted"),
    @JsonSubTypes.Type(value = RequestEvent.LegRefused.class, name = "leg-refused"),
    @JsonSubTypes.Type(value = RequestEvent.PrefillAccepted.class, name = "prefill-accepted"),
    @JsonSubTypes.Type(value = RequestEvent.FirstTokens.class, name = "first-tokens"),
    @JsonSubTypes.Type(value = RequestEvent.KvPublished.class, name = "kv-published"),
    @JsonSubTypes.Type(value = RequestEvent.TokensProduced.class, name = "tokens-produced"),
    @JsonSubTypes.Type(value = RequestEvent.LegFailed.class, name = "leg-failed"),
})
public sealed interface RequestEvent {
    long atNanos();

    record Submitted(RequestSpec spec, long atNanos) implements RequestEvent {}

    record RouteGranted(RouteGrant grant, long atNanos) implements RequestEvent {}

    record RouteRefused(long routeAsk, FailureCause cause, long atNanos) implements RequestEvent {}

    record WorkerLost(WorkerId worker, WorkerEpoch epoch, long atNanos) implements RequestEvent {}

    record CancelRequested(long atNanos) implements RequestEvent {}

    record Ticked(long atNanos) implements RequestEvent {}

    /** The entity came back from its journal; it can't know whether its legs still live. */
    record Recovered(long atNanos) implements RequestEvent {}

    /** Carries the fence of the binding under which it was said. */
    sealed interface FromWorker extends RequestEvent {
        Fence fence();
    }

    record DecodeReserved(Fence fence, HandoffManifest manifest, DataEndpoint endpoint, long atNanos)
            implements FromWorker {}

    record ColocatedAccepted(Fence fence, long atNanos) implements FromWorker {}

    record LegRefused(Fence fence, Leg leg, LegRefusal reason, long atNanos) implements FromWorker {}

    record PrefillAccepted(Fence fence, long atNanos) implements FromWorker {}

    record FirstTokens(Fence fence, int tokenIndex, List<Integer> tokens, long atNanos) implements FromWorker {
        public FirstTokens {
            tokens = List.copyOf(tokens);
        }
    }

    record KvPublished(Fence fence, long exposedStallNanos, long atNanos) implements FromWorker {}

    record TokensProduced(Fence fence, int choice, int firstIndex, List<Integer> tokens, long atNanos)
            implements FromWorker {
        public TokensProduced {
            tokens = List.copyOf(tokens);
        }
    }

    record LegFailed(Fence fence, Leg leg, String cause, long atNanos) implements FromWorker {}
}
