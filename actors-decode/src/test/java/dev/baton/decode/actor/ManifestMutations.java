package dev.baton.decode.actor;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.manifest.Placement;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol.StartPrefill;
import java.util.LinkedHashMap;
import java.util.Map;

/** A real start changed in one identity each, with the reason for which it must be refused; each names a request of its own. */
final class ManifestMutations {
    private ManifestMutations() {}

    static Map<StartPrefill, LegRefusal> refusals(StartPrefill real) {
        Map<StartPrefill, LegRefusal> all = new LinkedHashMap<>();
        HandoffManifest m = real.manifest();
        Placement p = m.placement();
        ModelIdentity i = m.model();
        TensorAbi t = m.tensor();
        RequestIdentity r = m.request();

        Placement otherEpoch = new Placement(
                p.source(),
                new WorkerEpoch(p.sourceEpoch().value() + 1),
                p.destination(),
                p.destinationEpoch(),
                p.reservation(),
                p.transfer(),
                p.path());
        all.put(with(real, m, "stale-epoch", m.model(), t, otherEpoch), LegRefusal.STALE_EPOCH);
        StartPrefill unchanged = with(real, m, "stale-role", i, t, p);
        RoleEpoch nextRole = real.roleEpoch().next();
        all.put(
                new StartPrefill(unchanged.manifest(), nextRole, real.spec(), real.endpoint(), real.destination()),
                LegRefusal.STALE_ROLE);
        ModelIdentity otherModel = new ModelIdentity(
                new ModelId("other"),
                i.checkpoint(),
                i.tokenizer(),
                i.adapter(),
                i.positionPolicy(),
                i.attentionMask(),
                i.numerics());
        all.put(with(real, m, "wrong-model", otherModel, t, p), LegRefusal.WRONG_MODEL);
        ModelIdentity[] identities = {
            new ModelIdentity(
                    i.model(), Digests.NONE, i.tokenizer(), i.adapter(), i.positionPolicy(), i.attentionMask(), "toy"),
            new ModelIdentity(
                    i.model(), i.checkpoint(), Digests.NONE, i.adapter(), i.positionPolicy(), i.attentionMask(), "toy"),
            new ModelIdentity(
                    i.model(),
                    i.checkpoint(),
                    i.tokenizer(),
                    Digests.ofText("adapter"),
                    i.positionPolicy(),
                    i.attentionMask(),
                    "toy"),
            new ModelIdentity(
                    i.model(), i.checkpoint(), i.tokenizer(), i.adapter(), Digests.NONE, i.attentionMask(), "toy"),
            new ModelIdentity(
                    i.model(), i.checkpoint(), i.tokenizer(), i.adapter(), i.positionPolicy(), Digests.NONE, "toy"),
            new ModelIdentity(
                    i.model(),
                    i.checkpoint(),
                    i.tokenizer(),
                    i.adapter(),
                    i.positionPolicy(),
                    i.attentionMask(),
                    "other numerics"),
        };
        for (int n = 0; n < identities.length; n++) {
            all.put(with(real, m, "identity-" + n, identities[n], t, p), LegRefusal.MODEL_IDENTITY_MISMATCH);
        }
        TensorAbi otherAbi = new TensorAbi(
                t.elementType(),
                t.axisOrder(),
                t.layers(),
                t.kvHeads() + 1,
                t.headDim(),
                t.blockTokens(),
                t.partition());
        all.put(with(real, m, "tensor-abi", i, otherAbi, p), LegRefusal.TENSOR_ABI_MISMATCH);
        RequestIdentity otherPrompt = new RequestIdentity(
                r.tenant(),
                new RequestId("mutant-prompt"),
                r.generation(),
                r.attempt(),
                Digests.NONE,
                r.tokens(),
                r.promptTokens());
        RequestIdentity shorter = new RequestIdentity(
                r.tenant(),
                new RequestId("mutant-interval"),
                r.generation(),
                r.attempt(),
                r.promptDigest(),
                new TokenInterval(0, r.promptTokens() - 1),
                r.promptTokens());
        for (RequestIdentity other : new RequestIdentity[] {otherPrompt, shorter}) {
            all.put(
                    new StartPrefill(
                            consistent(new HandoffManifest(other, i, t, p, m.chunkPayloadLimitBytes())),
                            real.roleEpoch(),
                            real.spec(),
                            real.endpoint(),
                            real.destination()),
                    LegRefusal.PROMPT_DIGEST_MISMATCH);
        }
        RequestIdentity renamed = new RequestIdentity(
                r.tenant(),
                new RequestId("mutant-transfer"),
                r.generation(),
                r.attempt(),
                r.promptDigest(),
                r.tokens(),
                r.promptTokens());
        all.put(
                new StartPrefill(
                        new HandoffManifest(renamed, i, t, p, m.chunkPayloadLimitBytes()),
                        real.roleEpoch(),
                        real.spec(),
                        real.endpoint(),
                        real.destination()),
                LegRefusal.MANIFEST_INCONSISTENT);
        all.put(renamed(hugeChunks(real), "mutant-chunks"), LegRefusal.CHUNK_TOO_LARGE);
        return all;
    }

    /** Chunks of the whole prompt, which the source's window does not hold. */
    private static StartPrefill hugeChunks(StartPrefill real) {
        HandoffManifest m = real.manifest();
        return new StartPrefill(
                new HandoffManifest(m.request(), m.model(), m.tensor(), m.placement(), Long.MAX_VALUE),
                real.roleEpoch(),
                real.spec(),
                real.endpoint(),
                real.destination());
    }

    /** The transfer id that the manifest's own identity derives. */
    private static HandoffManifest consistent(HandoffManifest m) {
        Placement p = m.placement();
        Placement minted = new Placement(
                p.source(),
                p.sourceEpoch(),
                p.destination(),
                p.destinationEpoch(),
                p.reservation(),
                m.fence().transferId(),
                p.path());
        return new HandoffManifest(m.request(), m.model(), m.tensor(), minted, m.chunkPayloadLimitBytes());
    }

    /** The same start for another request. */
    static StartPrefill renamed(StartPrefill real, String request) {
        HandoffManifest m = real.manifest();
        RequestIdentity r = m.request();
        RequestIdentity other = new RequestIdentity(
                r.tenant(),
                new RequestId(request),
                r.generation(),
                r.attempt(),
                r.promptDigest(),
                r.tokens(),
                r.promptTokens());
        return new StartPrefill(
                consistent(
                        new HandoffManifest(other, m.model(), m.tensor(), m.placement(), m.chunkPayloadLimitBytes())),
                real.roleEpoch(),
                real.spec(),
                real.endpoint(),
                real.destination());
    }

    private static StartPrefill with(
            StartPrefill real,
            HandoffManifest m,
            String name,
            ModelIdentity model,
            TensorAbi tensor,
            Placement placement) {
        HandoffManifest changed =
                new HandoffManifest(m.request(), model, tensor, placement, m.chunkPayloadLimitBytes());
        return renamed(
                new StartPrefill(changed, real.roleEpoch(), real.spec(), real.endpoint(), real.destination()),
                "mutant-" + name);
    }
}
