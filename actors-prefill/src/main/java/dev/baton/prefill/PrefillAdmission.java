package dev.baton.prefill;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerRole;
import dev.baton.scheduler.worker.LegRefusal;
import java.util.Optional;

/**
 * Compares a manifest with what this worker is. Fails closed: the first difference refuses the leg before a block is taken.
 *
 * @param worker this worker
 * @param epoch its incarnation
 * @param role what it plays now
 * @param identity its model
 * @param abi how its K/V bytes are read
 */
public record PrefillAdmission(
        WorkerId worker, WorkerEpoch epoch, WorkerRole role, ModelIdentity identity, TensorAbi abi) {

    public Optional<LegRefusal> refusal(HandoffManifest manifest, RoleEpoch roleEpoch, LegTokens tokens) {
        if (!manifest.placement().source().equals(worker)
                || !manifest.placement().sourceEpoch().equals(epoch)) {
            return Optional.of(LegRefusal.STALE_EPOCH);
        }
        if (!manifest.placement().transfer().equals(manifest.fence().transferId())) {
            return Optional.of(LegRefusal.MANIFEST_INCONSISTENT);
        }
        if (!roleEpoch.equals(role.epoch())) {
            return Optional.of(LegRefusal.STALE_ROLE);
        }
        if (!role.role().prefills()) {
            return Optional.of(LegRefusal.WRONG_ROLE);
        }
        if (!manifest.model().model().equals(identity.model())) {
            return Optional.of(LegRefusal.WRONG_MODEL);
        }
        if (!manifest.model().equals(identity)) {
            return Optional.of(LegRefusal.MODEL_IDENTITY_MISMATCH);
        }
        if (!manifest.tensor().digest().equals(abi.digest())) {
            return Optional.of(LegRefusal.TENSOR_ABI_MISMATCH);
        }
        return names(manifest.request(), tokens) ? Optional.empty() : Optional.of(LegRefusal.PROMPT_DIGEST_MISMATCH);
    }

    /** The whole prompt is moved: this worker computes all of it, and the destination has none of it. */
    private static boolean names(RequestIdentity request, LegTokens tokens) {
        return request.promptTokens() == tokens.count()
                && request.tokens().start() == 0
                && request.tokens().count() == tokens.count()
                && request.promptDigest().equals(tokens.digest());
    }
}
