package dev.baton.simulation.handoff;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.manifest.Placement;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.transfer.protocol.Terms;
import java.util.List;

/** The fixture of §0x06C: four layers of two 1 KiB chunks; the window of 2 KiB is a quarter of the transfer. */
final class Scenario {
    private static final List<Terms> GENERATIONS = List.of(derive(1), derive(2));

    private Scenario() {}

    /** @param generation 1 or 2 */
    static Terms terms(int generation) {
        return GENERATIONS.get(generation - 1);
    }

    private static Terms derive(int generation) {
        TenantId tenant = new TenantId("tenant-a");
        RequestId request = new RequestId("request-1");
        Generation value = new Generation(generation);
        return Terms.of(new HandoffManifest(
                new RequestIdentity(
                        tenant,
                        request,
                        value,
                        Attempt.FIRST,
                        Digests.ofTokens(List.of(1, 2, 3)),
                        new TokenInterval(0, 32),
                        32),
                new ModelIdentity(
                        new ModelId("toy"),
                        Digests.ofText("checkpoint"),
                        Digests.ofText("tokenizer"),
                        Digests.NONE,
                        Digests.ofText("positions"),
                        Digests.CAUSAL_MASK,
                        "reference"),
                new TensorAbi(ElementType.F32, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, 4, 1, 8, 16, Partition.WHOLE),
                new Placement(
                        new WorkerId("prefill-1"),
                        new WorkerEpoch(5),
                        new WorkerId("decode-1"),
                        new WorkerEpoch(7),
                        new ReservationId(generation),
                        TransferId.of(tenant, request, value, Attempt.FIRST),
                        "simulated"),
                1024));
    }
}
