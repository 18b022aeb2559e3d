package dev.baton.decode;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.scheduler.kv.TrajectoryShape;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerRole;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.scheduler.worker.LegRefusal;
import java.util.Optional;

/**
 * Whether a decode leg may begin here, before any block is taken. The route came from a report that may be stale, so nothing in
 * it is trusted.
 *
 * @param epoch this incarnation
 * @param role what the worker plays now
 * @param contextTokens longest sequence
 * @param blockTokens tokens of a block
 * @param totalBlocks blocks of the arena
 */
public record DecodeAdmission(WorkerEpoch epoch, WorkerRole role, int contextTokens, int blockTokens, int totalBlocks) {

    /** @param colocated whether the prompt is computed here too */
    public Optional<LegRefusal> refusal(
            WorkerEpoch expectedEpoch, RoleEpoch roleEpoch, boolean colocated, DecodeSpec spec) {
        if (!expectedEpoch.equals(epoch)) {
            return Optional.of(LegRefusal.STALE_EPOCH);
        }
        if (!roleEpoch.equals(role.epoch())) {
            return Optional.of(LegRefusal.STALE_ROLE);
        }
        if (!role.role().decodes() || (colocated && !role.role().prefills())) {
            return Optional.of(LegRefusal.WRONG_ROLE);
        }
        LegTokens tokens;
        try {
            tokens = LegTokens.of(spec);
        } catch (IllegalArgumentException e) {
            return Optional.of(LegRefusal.PROMPT_DIGEST_MISMATCH);
        }
        boolean fits = (long) tokens.count() + tokens.growthTokens() <= contextTokens
                && shape(tokens).totalBlocks() <= totalBlocks;
        return fits ? Optional.empty() : Optional.of(LegRefusal.NEVER_FITS);
    }

    public TrajectoryShape shape(LegTokens tokens) {
        return new TrajectoryShape(tokens.count(), tokens.growthTokens(), tokens.choices(), blockTokens);
    }
}
