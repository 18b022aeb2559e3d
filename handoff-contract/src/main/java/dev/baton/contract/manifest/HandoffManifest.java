package dev.baton.contract.manifest;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.tensor.TensorAbi;

/**
 * The immutable handoff manifest of §0x01A with its four namespaces: request, model, tensor, placement. Frozen when the
 * destination has reserved; both ends derive the same {@link ChunkPlan} from it.
 *
 * @param chunkPayloadLimitBytes largest payload of one chunk; a chunk is never smaller than one block of one layer
 */
public record HandoffManifest(
        RequestIdentity request,
        ModelIdentity model,
        TensorAbi tensor,
        Placement placement,
        long chunkPayloadLimitBytes) {

    public HandoffManifest {
        if (chunkPayloadLimitBytes <= 0) {
            throw new IllegalArgumentException(
                    "chunkPayloadLimitBytes must be positive, found " + chunkPayloadLimitBytes);
        }
        if (request.tokens().end() > request.promptTokens()) {
            throw new IllegalArgumentException("token interval ends at "
                    + request.tokens().end() + " of " + request.promptTokens() + " prompt tokens");
        }
        if (request.tokens().start() % tensor.blockTokens() != 0) {
            throw new IllegalArgumentException("token interval must start at a block boundary of "
                    + tensor.blockTokens() + ", found " + request.tokens().start());
        }
    }

    public Fence fence() {
        return new Fence(
                request.tenant(),
                request.request(),
                request.generation(),
                request.attempt(),
                placement.sourceEpoch(),
                placement.destinationEpoch(),
                placement.reservation());
    }

    public TransferKey key() {
        return new TransferKey(
                request.request(),
                request.promptDigest(),
                model.checkpoint(),
                model.adapter(),
                model.positionPolicy(),
                tensor.digest(),
                tensor.partition().toString(),
                tensor.partition().toString(),
                request.tokens().start(),
                request.tokens().count(),
                request.generation());
    }

    public ChunkPlan chunkPlan() {
        return ChunkPlan.layerMajor(request.tokens(), tensor, chunkPayloadLimitBytes);
    }

    /** K/V state that must become visible, without padding. */
    public long logicalKvBytes() {
        return request.tokens().count() * tensor.tokenBytes();
    }
}
