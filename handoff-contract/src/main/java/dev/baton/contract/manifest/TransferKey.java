package dev.baton.contract.manifest;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import java.util.Optional;

/** What the bytes mean: the immutable key of §0x10. A transfer is published only under an equal key. */
public record TransferKey(
        RequestId request,
        Digest promptDigest,
        Digest model,
        Digest adapter,
        Digest positionPolicy,
        Digest cacheSchema,
        String sourcePartition,
        String destinationPartition,
        int tokenStart,
        int tokenCount,
        Generation generation) {

    /** The first field in which {@code other} differs, in declaration order; empty when the keys are equal. */
    public Optional<KeyField> firstMismatch(TransferKey other) {
        if (!request.equals(other.request)) {
            return Optional.of(KeyField.REQUEST);
        }
        if (!promptDigest.equals(other.promptDigest)) {
            return Optional.of(KeyField.PROMPT_DIGEST);
        }
        if (!model.equals(other.model)) {
            return Optional.of(KeyField.MODEL);
        }
        if (!adapter.equals(other.adapter)) {
            return Optional.of(KeyField.ADAPTER);
        }
        if (!positionPolicy.equals(other.positionPolicy)) {
            return Optional.of(KeyField.POSITION_POLICY);
        }
        if (!cacheSchema.equals(other.cacheSchema)) {
            return Optional.of(KeyField.CACHE_SCHEMA);
        }
        if (!sourcePartition.equals(other.sourcePartition)) {
            return Optional.of(KeyField.SOURCE_PARTITION);
        }
        if (!destinationPartition.equals(other.destinationPartition)) {
            return Optional.of(KeyField.DESTINATION_PARTITION);
        }
        if (tokenStart != other.tokenStart) {
            return Optional.of(KeyField.TOKEN_START);
        }
        if (tokenCount != other.tokenCount) {
            return Optional.of(KeyField.TOKEN_COUNT);
        }
        if (!generation.equals(other.generation)) {
            return Optional.of(KeyField.GENERATION);
        }
        return Optional.empty();
    }
}
