package dev.baton.transfer;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.KeyField;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.manifest.Placement;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.transfer.protocol.Terms;
import java.util.List;
import java.util.stream.LongStream;

/** The handoff of §0x06C's fixture: four layers, two chunks of 1 KiB each per layer, 32 prompt tokens. */
public final class Handoffs {
    public static final TensorAbi ABI =
            new TensorAbi(ElementType.F32, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, 4, 1, 8, 16, Partition.WHOLE);
    public static final int CHUNKS = 8;
    public static final long CHUNK_BYTES = 1024;
    public static final Terms TERMS = Terms.of(manifest());
    public static final Continuation CONTINUATION = new Continuation(List.of(17), 1);

    private Handoffs() {}

    public static HandoffManifest manifest() {
        TenantId tenant = new TenantId("tenant-a");
        RequestId request = new RequestId("request-1");
        return new HandoffManifest(
                new RequestIdentity(
                        tenant,
                        request,
                        Generation.FIRST,
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
                ABI,
                new Placement(
                        new WorkerId("prefill-1"),
                        new WorkerEpoch(5),
                        new WorkerId("decode-1"),
                        new WorkerEpoch(7),
                        new ReservationId(9),
                        TransferId.of(tenant, request, Generation.FIRST, Attempt.FIRST),
                        "test"),
                CHUNK_BYTES);
    }

    public static long checksum(int index) {
        return 0xC0DE0000L + index;
    }

    public static Seal seal() {
        return new Seal(
                LongStream.range(0, CHUNKS).map(i -> checksum((int) i)).boxed().toList(), CONTINUATION);
    }

    /** {@code fence} with one field changed. */
    public static Fence mutated(Fence f, FenceField field) {
        return new Fence(
                field == FenceField.TENANT ? new TenantId("tenant-b") : f.tenant(),
                field == FenceField.REQUEST ? new RequestId("request-2") : f.request(),
                field == FenceField.GENERATION ? f.generation().next() : f.generation(),
                field == FenceField.ATTEMPT ? new Attempt(2) : f.attempt(),
                field == FenceField.SOURCE_EPOCH ? new WorkerEpoch(6) : f.sourceEpoch(),
                field == FenceField.DESTINATION_EPOCH ? new WorkerEpoch(8) : f.destinationEpoch(),
                field == FenceField.RESERVATION ? new ReservationId(10) : f.reservation());
    }

    /** {@code key} with one field changed. */
    public static TransferKey mutated(TransferKey k, KeyField field) {
        Digest other = Digests.ofText("other");
        return new TransferKey(
                field == KeyField.REQUEST ? new RequestId("request-2") : k.request(),
                field == KeyField.PROMPT_DIGEST ? other : k.promptDigest(),
                field == KeyField.MODEL ? other : k.model(),
                field == KeyField.ADAPTER ? other : k.adapter(),
                field == KeyField.POSITION_POLICY ? other : k.positionPolicy(),
                field == KeyField.CACHE_SCHEMA ? other : k.cacheSchema(),
                field == KeyField.SOURCE_PARTITION ? "tp0/2,pp0/1" : k.sourcePartition(),
                field == KeyField.DESTINATION_PARTITION ? "tp0/2,pp0/1" : k.destinationPartition(),
                field == KeyField.TOKEN_START ? 16 : k.tokenStart(),
                field == KeyField.TOKEN_COUNT ? 16 : k.tokenCount(),
                field == KeyField.GENERATION ? k.generation().next() : k.generation());
    }
}
