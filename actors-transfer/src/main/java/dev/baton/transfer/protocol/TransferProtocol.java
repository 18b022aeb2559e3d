package dev.baton.transfer.protocol;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import java.util.List;

/**
 * Control-plane messages between the two workers of a transfer. Each is safe to lose, repeat and reorder: the machines
 * answer a repeat with {@code Ignored} and a loss ends at a deadline.
 */
public sealed interface TransferProtocol {
    Fence fence();

    /** Answered by the source's machine. */
    sealed interface ToSource extends TransferProtocol {}

    /** Answered by the destination's machine. */
    sealed interface ToDestination extends TransferProtocol {}

    /** Blocks are reserved and the receiver knows the plan: chunks may come. */
    record DestinationReserved(Fence fence) implements ToSource {}

    /**
     * These chunks reached DEVICE_VISIBLE: their credit returns.
     *
     * @param indexes chunk indexes of the plan
     * @param payloadBytes sum of their payloads
     */
    record ChunksVisible(Fence fence, List<Integer> indexes, long payloadBytes) implements ToSource {
        public ChunksVisible {
            indexes = List.copyOf(indexes);
        }
    }

    /** Published under this generation: the source may let its copy go. */
    record PublicationAcknowledged(Fence fence, TransferId transfer) implements ToSource {}

    /** The destination aborts; its staging may still hold chunks until {@link StagingReleased}. */
    record DestinationAborted(Fence fence, AbortReason reason) implements ToSource {}

    /** The destination's transport is quiescent after an abort: no buffer of this transfer is owned there. */
    record StagingReleased(Fence fence) implements ToSource {}

    /** The last chunk has left. */
    record SourceSealed(Fence fence, TransferKey key, Seal seal) implements ToDestination {}

    record SourceAborted(Fence fence, AbortReason reason) implements ToDestination {}
}
