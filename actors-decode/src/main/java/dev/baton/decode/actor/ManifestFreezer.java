package dev.baton.decode.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.Placement;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerContext;

/** Writes down what will be handed over, once the reservation exists; the source compares every field with its own. */
final class ManifestFreezer {
    private ManifestFreezer() {}

    static HandoffManifest freeze(WorkerContext context, Fence fence, WorkerId source, LegTokens tokens) {
        return new HandoffManifest(
                new RequestIdentity(
                        fence.tenant(),
                        fence.request(),
                        fence.generation(),
                        fence.attempt(),
                        tokens.digest(),
                        new TokenInterval(0, tokens.count()),
                        tokens.count()),
                context.identity(),
                context.abi(),
                new Placement(
                        source,
                        fence.sourceEpoch(),
                        context.worker(),
                        fence.destinationEpoch(),
                        fence.reservation(),
                        fence.transferId(),
                        "aeron"),
                context.chunkPayloadLimitBytes());
    }
}
