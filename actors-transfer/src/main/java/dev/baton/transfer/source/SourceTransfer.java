package dev.baton.transfer.source;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import org.jspecify.annotations.Nullable;

/**
 * The source's counterpart of the transfer transaction: it owns the only recoverable copy until publication is acknowledged.
 * The producer gate of §0x06C is here: a chunk is offered only when its layer's K/V covers its token interval.
 */
public final class SourceTransfer {
    private SourceTransfer() {}

    /** States of the source. */
    public sealed interface State {
        Terms terms();

        /** A state with a deadline; the shell arms one timer for it after every adopted decision. */
        sealed interface Live extends State {
            long deadlineNanos();
        }

        /** Blocks pinned (once {@code pinned}); prefill may run; the destination has not reserved. */
        record Announced(
                Terms terms,
                Deadlines deadlines,
                boolean pinned,
                ReadyTokens ready,
                @Nullable Continuation continuation,
                long deadlineNanos)
                implements Live {}

        /** Offering what is ready; {@code continuation} is known once prefill has finished. */
        record Streaming(
                Terms terms,
                Deadlines deadlines,
                ReadyTokens ready,
                ChunkSet chunks,
                @Nullable Continuation continuation,
                long deadlineNanos)
                implements Live {}

        /** Every chunk sent and the seal sent {@code attempts} times; not acknowledged. */
        record Sealed(Terms terms, Deadlines deadlines, ChunkSet chunks, Seal seal, int attempts, long deadlineNanos)
                implements Live {}

        /** Waiting until the transport reads neither blocks nor buffers. */
        record Aborting(Terms terms, boolean pinned, ChunkSet chunks, AbortReason reason, long deadlineNanos)
                implements Live {}

        /** Published elsewhere; nothing held. Terminal. */
        record Released(Terms terms) implements State {}

        /** Nothing held; {@code chunks} remembers which credits came back. Terminal. */
        record Aborted(Terms terms, ChunkSet chunks, AbortReason reason) implements State {}
    }

    /** What happens to the transfer; {@code atNanos} is when this worker learnt of it. */
    public sealed interface Event {
        long atNanos();

        /** The manifest is accepted: start. */
        record Began(long atNanos) implements Event {}

        /** K/V of {@code layer} exists for prompt tokens before {@code tokensReadyUpTo} (prompt coordinates). */
        record KvReady(Fence fence, int layer, int tokensReadyUpTo, long atNanos) implements Event {}

        record PrefillFinished(Fence fence, Continuation continuation, long atNanos) implements Event {}

        record DestinationReserved(Fence fence, long atNanos) implements Event {}

        /** The ledger holds this chunk's bytes for us. */
        record CreditGranted(int index, long atNanos) implements Event {}

        /** Handed to the transport. */
        record ChunkSent(int index, long checksum, long atNanos) implements Event {}

        /** The destination saw it at DEVICE_VISIBLE. */
        record CreditReturned(Fence fence, int index, long atNanos) implements Event {}

        record PublicationAcknowledged(Fence fence, TransferId transfer, long atNanos) implements Event {}

        record DestinationAborted(Fence fence, AbortReason reason, long atNanos) implements Event {}

        record Cancelled(Fence fence, long atNanos) implements Event {}

        /** The destination worker of this epoch is gone. */
        record PeerLost(WorkerEpoch destinationEpoch, long atNanos) implements Event {}

        /** No offer of this transfer is outstanding here, and the far end's staging holds nothing of it or is fenced. */
        record TransportQuiesced(long atNanos) implements Event {}

        /** This worker's epoch was fenced: no callback of it can arrive any more. */
        record EpochFenced(WorkerEpoch sourceEpoch, long atNanos) implements Event {}

        record DeadlinePassed(long atNanos) implements Event {}
    }

    /** What the shell does, in list order. */
    public sealed interface Effect {
        /** The prompt's blocks may not be evicted or reused. */
        record PinBlocks(Fence fence) implements Effect {}

        /** May be sent as soon as the ledger grants its bytes; answered by CreditGranted, then ChunkSent. */
        record OfferChunk(Fence fence, ChunkSpec spec) implements Effect {}

        record SendSeal(Fence fence, TransferKey key, Seal seal) implements Effect {}

        /** To the ledger; every byte granted comes back by this effect, once. */
        record ReleaseCredits(Fence fence, long payloadBytes) implements Effect {}

        /** Unpin: this transfer needs the blocks no more. */
        record ReleaseBlocks(Fence fence) implements Effect {}

        /** Count and answer as a refusal: the event was refused and the transaction ends by it. */
        record ReportRefusal(Refusal reason) implements Effect {}

        record TellDestinationAborted(Fence fence, AbortReason reason) implements Effect {}

        /** Withdraws offers that wait for credit; a grant already under way still arrives as CreditGranted. */
        record CancelOutstandingChunks(Fence fence) implements Effect {}

        /** Answered by TransportQuiesced or EpochFenced. */
        record QuiesceTransport(Fence fence) implements Effect {}

        /** In force when the effect returns: later callbacks of this epoch reach nobody. */
        record FenceEpoch(WorkerEpoch sourceEpoch) implements Effect {}

        record RecordTerminalFailure(TransferId transfer, Generation generation, AbortReason reason)
                implements Effect {}
    }

    /** Rules that an event can break. */
    public enum Refusal {
        FENCE_TENANT,
        FENCE_REQUEST,
        FENCE_GENERATION,
        FENCE_ATTEMPT,
        FENCE_SOURCE_EPOCH,
        FENCE_DESTINATION_EPOCH,
        FENCE_RESERVATION,
        /** Before {@code Began}. */
        NOT_BEGUN,
        /** A layer outside the plan. */
        UNKNOWN_LAYER,
        /** Tokens beyond the manifest's interval. */
        READY_BEYOND_INTERVAL,
        /** An index outside the plan. */
        UNKNOWN_CHUNK,
        /** §0x06C: credit or send for a chunk whose K/V is not ready. */
        CHUNK_NOT_OFFERED,
        /** §0x06B: sent without credit. */
        SENT_WITHOUT_CREDIT,
        /** The same chunk sent again with other bytes. */
        SENT_AGAIN_OTHER_CHECKSUM,
        /** Credit returned for a chunk that was not sent. */
        RETURNED_BEFORE_SENT,
        /** A second continuation that differs from the first, or one that does not continue this prompt. */
        CONTINUATION_MISMATCH,
        /** Prefill finished although some layer's K/V is missing. */
        FINISHED_BEFORE_READY,
        /** Acknowledged before the seal was sent. */
        ACKNOWLEDGED_BEFORE_SEAL,
        /** Acknowledgement of another transfer. */
        TRANSFER_MISMATCH,
        /** The destination has published; there is nothing left to abort. */
        ABORT_AFTER_RELEASE
    }
}
