package dev.baton.transfer.destination;

import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.protocol.Terms;
import java.util.Optional;

/** The comparisons of §0x06D. Visibility is not here: it is the phase of every chunk. */
final class Validation {
    private Validation() {}

    /** Key, tensor ABI (its cache schema), chunk set and continuation of a seal. */
    static Optional<Refusal> seal(Terms terms, TransferKey key, Seal seal) {
        Optional<Refusal> otherKey = terms.key().firstMismatch(key).map(Refusal::of);
        if (otherKey.isPresent()) {
            return otherKey;
        }
        if (seal.checksums().size() != terms.plan().count()) {
            return Optional.of(Refusal.SEAL_CHUNK_SET);
        }
        return continues(seal.continuation()) ? Optional.empty() : Optional.of(Refusal.SEAL_CONTINUATION);
    }

    /** Decode goes on after at least one token of at least one choice. */
    private static boolean continues(Continuation continuation) {
        return !continuation.firstTokens().isEmpty()
                && continuation.nextTokenIndex() > 0
                && continuation.firstTokens().stream().allMatch(token -> token >= 0);
    }

    /** A repeated seal must be the same seal. */
    static Optional<Refusal> sealAgain(Terms terms, Seal held, Event.SourceSealed again) {
        return seal(terms, again.key(), again.seal())
                .or(() -> held.equals(again.seal()) ? Optional.empty() : Optional.of(Refusal.SEAL_CHANGED));
    }

    /** A chunk that arrives after validation must repeat what was validated. */
    static Optional<Refusal> differsFromSeal(Terms terms, Seal seal, Event.ChunkReceived again) {
        if (again.index() < 0 || again.index() >= terms.plan().count()) {
            return Optional.of(Refusal.UNKNOWN_CHUNK);
        }
        if (again.payloadBytes() != terms.plan().chunk(again.index()).payloadBytes()) {
            return Optional.of(Refusal.DUPLICATE_CHUNK_OTHER_SIZE);
        }
        return again.checksum() == seal.checksums().get(again.index())
                ? Optional.empty()
                : Optional.of(Refusal.DUPLICATE_CHUNK_OTHER_CHECKSUM);
    }

    static boolean checksumsAgree(ChunkSet chunks, Seal seal) {
        for (int index = 0; index < chunks.count(); index++) {
            if (chunks.checksum(index) != seal.checksums().get(index)) {
                return false;
            }
        }
        return true;
    }

    /** Layer-major, each layer from the first to the last token of the interval without gap or overlap, indexes in order. */
    static boolean coversExactly(ChunkPlan plan) {
        int layer = 0;
        int token = plan.tokens().start();
        for (int index = 0; index < plan.count(); index++) {
            ChunkSpec chunk = plan.chunk(index);
            if (chunk.index() != index
                    || chunk.layer() != layer
                    || chunk.tokens().start() != token) {
                return false;
            }
            token = chunk.tokens().end();
            if (token == plan.tokens().end()) {
                layer++;
                token = plan.tokens().start();
            }
        }
        return layer == plan.layers() && token == plan.tokens().start();
    }
}
