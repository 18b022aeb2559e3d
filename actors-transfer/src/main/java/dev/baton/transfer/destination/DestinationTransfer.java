package dev.baton.transfer.destination;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transfer transaction of §0x06A-§0x06E, owned by the destination because that is where publication happens.
 *
 * <p>Block ids are arena block ids in token order, starting with the block of the manifest's first token; the reservation
 * covers the rest of the prompt and decode's growth. Payloads in bytes, checksums CRC-32C unsigned in the low 32 bits, times
 * from one monotonic clock in nanoseconds.
 */
public final class DestinationTransfer {
    private DestinationTransfer() {}

    /** States in the order of §0x06A, with ABORTING where the way out waits for the transport. */
    public sealed interface State {
        Terms terms();

        /** A state with a deadline; the shell arms one timer for it after every adopted decision. */
        sealed interface Live extends State {
            long deadlineNanos();
        }

        /** Nothing is reserved. {@code reserving}: a reservation has been asked for and not answered. */
        record Planned(Terms terms, Deadlines deadlines, long blockCount, boolean reserving, long deadlineNanos)
                implements Live {}

        /** Blocks are ours; the receiver expects the plan; nothing has arrived. */
        record Reserved(Terms terms, Deadlines deadlines, List<Integer> blockIds, long deadlineNanos) implements Live {}

        /** Chunks arrive in any order; the seal may come before the last of them. */
        record Transferring(
                Terms terms,
                Deadlines deadlines,
                List<Integer> blockIds,
                ChunkSet chunks,
                @Nullable Seal seal,
                long deadlineNanos)
                implements Live {}

        /** Everything agrees; the directory has been asked to publish and has not answered. */
        record Validated(
                Terms terms, Deadlines deadlines, List<Integer> blockIds, Continuation continuation, long deadlineNanos)
                implements Live {}

        /**
         * Waiting until nobody else touches the blocks: transport and, after VALIDATED, the directory.
         *
         * @param stagingBytes received and not visible: still owned by staging and device copy
         */
        record Aborting(
                Terms terms,
                List<Integer> blockIds,
                AbortReason reason,
                long stagingBytes,
                boolean reserving,
                boolean quiescent,
                boolean withdrawn,
                long deadlineNanos)
                implements Live {}

        /** The only state from which decode reads. Terminal. */
        record Published(Terms terms, List<Integer> blockIds, PublicationHandle handle, Continuation continuation)
                implements State {}

        /** Terminal. {@code reserving}: a reservation asked for before the abort may still be granted, and goes back at once. */
        record Aborted(Terms terms, AbortReason reason, boolean reserving) implements State {}
    }

    /** What happens to the transfer; {@code atNanos} is when this worker learnt of it. */
    public sealed interface Event {
        long atNanos();

        /** The manifest is accepted: start. */
        record Began(long atNanos) implements Event {}

        record BlocksReserved(List<Integer> blockIds, long atNanos) implements Event {
            public BlocksReserved {
                blockIds = List.copyOf(blockIds);
            }
        }

        /** The pool has no room for prompt and growth. */
        record ReservationRefused(long atNanos) implements Event {}

        /** In staging. */
        record ChunkReceived(Fence fence, int index, long payloadBytes, long checksum, long atNanos) implements Event {}

        /** DEVICE_VISIBLE on the declared stream. */
        record ChunkVisible(int index, long atNanos) implements Event {}

        /** Staging could not be copied to the device. */
        record CopyFailed(int index, long atNanos) implements Event {}

        record SourceSealed(Fence fence, TransferKey key, Seal seal, long atNanos) implements Event {}

        record DirectoryAnswered(DirectoryAnswer answer, long atNanos) implements Event {}

        record SourceAborted(Fence fence, AbortReason reason, long atNanos) implements Event {}

        record Cancelled(Fence fence, long atNanos) implements Event {}

        /** The source worker of this epoch is gone. */
        record PeerLost(WorkerEpoch sourceEpoch, long atNanos) implements Event {}

        /** No callback, copy or buffer of this transfer is outstanding at this worker. */
        record TransportQuiesced(long atNanos) implements Event {}

        /** This worker's epoch was fenced: no callback of it can arrive any more. */
        record EpochFenced(WorkerEpoch destinationEpoch, long atNanos) implements Event {}

        record DeadlinePassed(long atNanos) implements Event {}
    }

    /** What the shell does, in list order. */
    public sealed interface Effect {
        /** Answered by BlocksReserved or ReservationRefused. */
        record ReserveBlocks(Fence fence, long blockCount) implements Effect {}

        /** The receiver takes these chunks into these blocks, and no others. */
        record ExpectChunks(HandoffManifest manifest, ChunkPlan plan, List<Integer> blockIds) implements Effect {}

        /** Tell the source that chunks may come. */
        record AnnounceReservation(Fence fence) implements Effect {}

        /** Once per chunk, at DEVICE_VISIBLE. */
        record ReturnCredit(Fence fence, int index, long payloadBytes) implements Effect {}

        /** Answered by DirectoryAnswered. */
        record Publish(Fence fence, TransferId transfer, List<Integer> blockIds) implements Effect {}

        record AdmitDecode(PublicationHandle handle, Continuation continuation) implements Effect {}

        /** The owner of this handle must release its blocks. */
        record ReleaseSuperseded(PublicationHandle superseded) implements Effect {}

        record AcknowledgeSource(Fence fence, TransferId transfer) implements Effect {}

        /** Count and answer as a refusal: the event was refused and the transaction ends by it. */
        record ReportRefusal(Refusal reason) implements Effect {}

        record TellSourceAborted(Fence fence, AbortReason reason) implements Effect {}

        /** Answered by DirectoryAnswered; afterwards the transfer can't be published. */
        record WithdrawPublication(Fence fence, TransferId transfer) implements Effect {}

        record CancelOutstandingChunks(Fence fence) implements Effect {}

        /** Answered by TransportQuiesced or EpochFenced. */
        record QuiesceTransport(Fence fence) implements Effect {}

        /** In force when the effect returns: later callbacks of this epoch reach nobody, its handles are dead. */
        record FenceEpoch(WorkerEpoch destinationEpoch) implements Effect {}

        /** Staging of this transfer is free; tell the source so. */
        record ReleaseStagingCredits(Fence fence, long payloadBytes) implements Effect {}

        record ReleaseBlocks(Fence fence, List<Integer> blockIds) implements Effect {}

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
        KEY_REQUEST,
        KEY_PROMPT_DIGEST,
        KEY_MODEL,
        KEY_ADAPTER,
        KEY_POSITION_POLICY,
        KEY_CACHE_SCHEMA,
        KEY_SOURCE_PARTITION,
        KEY_DESTINATION_PARTITION,
        KEY_TOKEN_START,
        KEY_TOKEN_COUNT,
        KEY_GENERATION,
        /** The reservation does not cover prompt and growth, or names a block twice. */
        RESERVATION_MISMATCH,
        /** A chunk before blocks are reserved, or a seal before that. */
        NOT_RESERVED,
        /** An index outside the plan. */
        UNKNOWN_CHUNK,
        /** First arrival of a chunk with another size than the plan's. */
        CHUNK_SIZE,
        /** The same chunk again with another size. */
        DUPLICATE_CHUNK_OTHER_SIZE,
        /** The same chunk again with another checksum. */
        DUPLICATE_CHUNK_OTHER_CHECKSUM,
        /** Visible without having been received. */
        VISIBLE_BEFORE_RECEIVED,
        /** The seal names fewer or more chunks than the plan. */
        SEAL_CHUNK_SET,
        /** A second seal that differs from the first. */
        SEAL_CHANGED,
        /** The seal's continuation does not continue this prompt. */
        SEAL_CONTINUATION,
        /** Received bytes are not those that the source sealed. */
        CHECKSUM_MISMATCH,
        /** The plan does not hold every layer and token exactly once. */
        COVERAGE,
        /** The directory answered without having been asked, or for another transfer. */
        DIRECTORY_ANSWER_UNASKED,
        /** The directory holds an equal or newer generation by another transfer. */
        STALE_GENERATION,
        /** The directory knows this transfer's publication as ended. */
        PUBLICATION_ENDED,
        /** §0x06E: a published transfer cannot be aborted. */
        ABORT_AFTER_PUBLICATION
    }
}
