package dev.baton.contract.manifest;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;

/** A valid manifest for tests to bend. */
final class Manifests {
    static final TensorAbi ABI =
            new TensorAbi(ElementType.F16, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, 3, 2, 8, 16, Partition.WHOLE);

    private Manifests() {}

    static Digest digest(String text) {
        return Digests.ofText(text);
    }

    /** Tokens [16, 50) of 50 under {@link #ABI}, at most two blocks of one layer in a chunk. */
    static HandoffManifest valid() {
        return of(new TokenInterval(16, 34), 50, 2 * ABI.layerBlockBytes());
    }

    static HandoffManifest of(TokenInterval tokens, int promptTokens, long chunkPayloadLimitBytes) {
        RequestIdentity request = new RequestIdentity(
                new TenantId("acme"),
                new RequestId("req-1"),
                new Generation(3),
                new Attempt(4),
                digest("prompt"),
                tokens,
                promptTokens);
        ModelIdentity model = new ModelIdentity(
                new ModelId("house"),
                digest("weights"),
                digest("tokenizer"),
                Digests.NONE,
                digest("rope"),
                Digests.CAUSAL_MASK,
                "reference-1");
        Placement placement = new Placement(
                new WorkerId("p1"),
                new WorkerEpoch(5),
                new WorkerId("d1"),
                new WorkerEpoch(6),
                new ReservationId(7),
                TransferId.of(request.tenant(), request.request(), request.generation(), request.attempt()),
                "ipc");
        return new HandoffManifest(request, model, ABI, placement, chunkPayloadLimitBytes);
    }
}
