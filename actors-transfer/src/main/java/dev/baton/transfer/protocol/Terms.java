package dev.baton.transfer.protocol;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.TransferKey;

/** The frozen manifest and what both ends derive from it, derived once. */
public record Terms(HandoffManifest manifest, Fence fence, TransferKey key, ChunkPlan plan) {

    /** @throws IllegalArgumentException when the placement names another transfer than the fence derives */
    public static Terms of(HandoffManifest manifest) {
        if (!manifest.placement().transfer().equals(manifest.fence().transferId())) {
            throw new IllegalArgumentException("manifest names transfer "
                    + manifest.placement().transfer() + " but its identity derives "
                    + manifest.fence().transferId() + "; mint it with Fence.transferId()");
        }
        return new Terms(manifest, manifest.fence(), manifest.key(), manifest.chunkPlan());
    }

    public TransferId transfer() {
        return manifest.placement().transfer();
    }
}
