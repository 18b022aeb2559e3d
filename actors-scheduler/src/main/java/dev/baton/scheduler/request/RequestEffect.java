package dev.baton.scheduler.request;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.transfer.link.DataEndpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the request entity does after an event is journaled. Each is safe to repeat after a crash. */
public sealed interface RequestEffect {

    record AskRoute(
            long routeAsk,
            long promptTokens,
            int choices,
            long growthTokensPerChoice,
            boolean colocated,
            List<WorkerId> avoid,
            long waitMillis)
            implements RequestEffect {
        public AskRoute {
            avoid = List.copyOf(avoid);
        }
    }

    record ReleaseRoute(long routeAsk) implements RequestEffect {}

    record ReserveDecode(WorkerRef decode, WorkerRef source, Fence fence, DecodeSpec spec) implements RequestEffect {}

    record StartColocated(WorkerRef worker, Fence fence, DecodeSpec spec) implements RequestEffect {}

    record StartPrefill(
            WorkerRef prefill, WorkerRef decode, HandoffManifest manifest, DataEndpoint endpoint, DecodeSpec spec)
            implements RequestEffect {}

    record CancelPrefill(WorkerRef prefill, Fence fence, String cause) implements RequestEffect {}

    /** Reservation {@link Binding#UNRESERVED} stands for whatever was reserved under this generation and attempt. */
    record ReleaseDecode(WorkerRef decode, Fence fence, String cause) implements RequestEffect {}

    record AcceptTokens(WorkerRef decode, Fence fence, int choice, int nextIndex) implements RequestEffect {}

    record EndChoice(WorkerRef decode, Fence fence, int choice) implements RequestEffect {}

    /** Output for the client; a part of the entity's state, so it also happens on replay. */
    record Emit(OutputItem item) implements RequestEffect {}

    record TellEnded(Outcome outcome, @Nullable FailureCause failure, Usage usage) implements RequestEffect {}
}
