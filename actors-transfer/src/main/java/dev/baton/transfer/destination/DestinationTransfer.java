package dev.baton.transfer.destination;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.KeyField;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.chunk.ChunkMachine;
import dev.baton.transfer.chunk.ChunkPhase;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transfer transaction of §0x06A-§0x06E, owned by the destination because that is where publication happens.
 *
 * <p>Block ids are arena block ids in token order, starting with the block of the manifest's first token; the reservation
 * covers the rest of the prompt and decode's growth. Payloads in bytes, checksums CRC-32C unsigned in the low 32 bits, times
 * from one monotonic clock in nanoseconds.
 *
 * <p>Longer than most files: every state answers every event by name, so that a new event cannot be forgotten anywhere.
 *
 * <p>An event under another fence belongs to another transfer: refused, and ours goes on. An event under our own fence that
 * contradicts the manifest shows that this transfer cannot be right: {@code ReportRefusal}, and the way out.
 */
public final class DestinationTransfer {
    private static final String NOT_ASKED_TO_QUIESCE = "no quiescence was asked for";
    private static final String PUBLISHED_ALREADY = "published already";
    private static final String ABORTED_ALREADY = "aborted already";
    private static final String ANOTHER_EPOCH = "another epoch of that worker";
    private static final String TIMER_OF_THE_PAST = "a timer of an earlier state";

    private DestinationTransfer() {}

    /**
     * The first state; send it {@code Began}.
     *
     * @param arenaAbi digest of the tensor ABI of this worker's arena
     * @param growthTokens tokens that decode may add, reserved together with the prompt
     */
    public static State plan(Terms terms, Digest arenaAbi, long growthTokens, Deadlines deadlines, long atNanos) {
        HandoffManifest manifest = terms.manifest();
        int visibleBlocks =
                manifest.request().tokens().start() / manifest.tensor().blockTokens();
        long blockCount =
                (long) manifest.tensor().blocksFor(manifest.request().promptTokens() + growthTokens) - visibleBlocks;
        return new State.Planned(terms, deadlines, arenaAbi, blockCount, false, atNanos + deadlines.plannedNanos());
    }

    /** States in the order of §0x06A, with ABORTING where the way out waits for the transport. */
    public sealed interface State {
        Terms terms();

        /** A state with a deadline; the shell arms one timer for it after every adopted decision. */
        sealed interface Live extends State {
            long deadlineNanos();
        }

        /** Nothing is reserved. {@code arenaAbi} is the tensor ABI of our arena; {@code reserving}: a reservation has been asked for and not answered. */
        record Planned(
                Terms terms,
                Deadlines deadlines,
                Digest arenaAbi,
                long blockCount,
                boolean reserving,
                long deadlineNanos)
                implements Live {}

        /** Blocks are ours; the receiver expects the plan; nothing has arrived. */
        record Reserved(Terms terms, Deadlines deadlines, List<Integer> blockIds, long deadlineNanos) implements Live {
            public Reserved {
                blockIds = List.copyOf(blockIds);
            }
        }

        /** Chunks arrive in any order; the seal may come before the last of them. */
        record Transferring(
                Terms terms,
                Deadlines deadlines,
                List<Integer> blockIds,
                ChunkSet chunks,
                @Nullable Seal seal,
                long deadlineNanos)
                implements Live {
            public Transferring {
                blockIds = List.copyOf(blockIds);
            }
        }

        /** Everything agrees; the directory has been asked to publish and has not answered. */
        record Validated(Terms terms, Deadlines deadlines, List<Integer> blockIds, Seal seal, long deadlineNanos)
                implements Live {
            public Validated {
                blockIds = List.copyOf(blockIds);
            }
        }

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
                implements Live {
            public Aborting {
                blockIds = List.copyOf(blockIds);
            }

            Aborting settled(boolean transportQuiescent, boolean publicationWithdrawn) {
                return new Aborting(
                        terms,
                        blockIds,
                        reason,
                        stagingBytes,
                        reserving,
                        transportQuiescent,
                        publicationWithdrawn,
                        deadlineNanos);
            }

            Aborting reservationAnswered(List<Integer> granted) {
                return new Aborting(terms, granted, reason, stagingBytes, false, quiescent, withdrawn, deadlineNanos);
            }
        }

        /** The only state from which decode reads. Terminal. */
        record Published(Terms terms, List<Integer> blockIds, PublicationHandle handle, Seal seal) implements State {
            public Published {
                blockIds = List.copyOf(blockIds);
            }
        }

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
        record ExpectChunks(HandoffManifest manifest, ChunkPlan plan, List<Integer> blockIds) implements Effect {
            public ExpectChunks {
                blockIds = List.copyOf(blockIds);
            }
        }

        /** Tell the source that chunks may come. */
        record AnnounceReservation(Fence fence) implements Effect {}

        /** Once per chunk, at DEVICE_VISIBLE. */
        record ReturnCredit(Fence fence, int index, long payloadBytes) implements Effect {}

        /** Answered by DirectoryAnswered. */
        record Publish(Fence fence, TransferId transfer, List<Integer> blockIds) implements Effect {
            public Publish {
                blockIds = List.copyOf(blockIds);
            }
        }

        record AdmitDecode(PublicationHandle handle, Continuation continuation) implements Effect {}

        /** This handle gives nothing any more; its blocks go with whoever holds them: its decode, or its own machine. */
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

        record ReleaseBlocks(Fence fence, List<Integer> blockIds) implements Effect {
            public ReleaseBlocks {
                blockIds = List.copyOf(blockIds);
            }
        }

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
        /** §0x01A: our arena decodes bytes differently; refused before any byte moves. */
        TENSOR_ABI,
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
        /** The pool answered without having been asked, or twice with different blocks. */
        RESERVATION_UNASKED,
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
        ABORT_AFTER_PUBLICATION;

        static Refusal of(FenceField field) {
            return switch (field) {
                case TENANT -> FENCE_TENANT;
                case REQUEST -> FENCE_REQUEST;
                case GENERATION -> FENCE_GENERATION;
                case ATTEMPT -> FENCE_ATTEMPT;
                case SOURCE_EPOCH -> FENCE_SOURCE_EPOCH;
                case DESTINATION_EPOCH -> FENCE_DESTINATION_EPOCH;
                case RESERVATION -> FENCE_RESERVATION;
            };
        }

        static Refusal of(KeyField field) {
            return switch (field) {
                case REQUEST -> KEY_REQUEST;
                case PROMPT_DIGEST -> KEY_PROMPT_DIGEST;
                case MODEL -> KEY_MODEL;
                case ADAPTER -> KEY_ADAPTER;
                case POSITION_POLICY -> KEY_POSITION_POLICY;
                case CACHE_SCHEMA -> KEY_CACHE_SCHEMA;
                case SOURCE_PARTITION -> KEY_SOURCE_PARTITION;
                case DESTINATION_PARTITION -> KEY_DESTINATION_PARTITION;
                case TOKEN_START -> KEY_TOKEN_START;
                case TOKEN_COUNT -> KEY_TOKEN_COUNT;
                case GENERATION -> KEY_GENERATION;
            };
        }
    }

    public static Decision<State, Effect, Refusal> decide(State state, Event event) {
        Optional<Refusal> foreign =
                fenceOf(event).flatMap(state.terms().fence()::firstMismatch).map(Refusal::of);
        if (foreign.isPresent()) {
            return Decision.refused(foreign.get());
        }
        return switch (state) {
            case State.Planned planned -> planned(planned, event);
            case State.Reserved reserved -> reserved(reserved, event);
            case State.Transferring transferring -> transferring(transferring, event);
            case State.Validated validated -> validated(validated, event);
            case State.Aborting aborting -> aborting(aborting, event);
            case State.Published published -> published(published, event);
            case State.Aborted aborted -> aborted(aborted, event);
        };
    }

    /** Local events come from this worker's own shell and carry none. */
    private static Optional<Fence> fenceOf(Event event) {
        return switch (event) {
            case Event.ChunkReceived e -> Optional.of(e.fence());
            case Event.SourceSealed e -> Optional.of(e.fence());
            case Event.SourceAborted e -> Optional.of(e.fence());
            case Event.Cancelled e -> Optional.of(e.fence());
            case Event.Began _,
                    Event.BlocksReserved _,
                    Event.ReservationRefused _,
                    Event.ChunkVisible _,
                    Event.CopyFailed _,
                    Event.DirectoryAnswered _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Optional.empty();
        };
    }

    private static Decision<State, Effect, Refusal> planned(State.Planned s, Event event) {
        return switch (event) {
            case Event.Began e -> began(s, e);
            case Event.BlocksReserved e -> blocksReserved(s, e);
            case Event.ReservationRefused e -> reservationRefused(s, e);
            case Event.ChunkReceived _, Event.SourceSealed _ -> Decision.refused(Refusal.NOT_RESERVED);
            case Event.ChunkVisible _, Event.CopyFailed _ -> Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
            case Event.DirectoryAnswered _ -> Decision.refused(Refusal.DIRECTORY_ANSWER_UNASKED);
            case Event.SourceAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    private static Decision<State, Effect, Refusal> began(State.Planned s, Event.Began e) {
        if (s.reserving()) {
            return Decision.ignored("already begun");
        }
        if (!s.arenaAbi().equals(s.terms().manifest().tensor().digest())) {
            return violated(s, Refusal.TENSOR_ABI, AbortCause.VALIDATION_FAILED, e.atNanos());
        }
        if (!Validation.coversExactly(s.terms().plan())) {
            return violated(s, Refusal.COVERAGE, AbortCause.VALIDATION_FAILED, e.atNanos());
        }
        return Decision.moved(
                new State.Planned(s.terms(), s.deadlines(), s.arenaAbi(), s.blockCount(), true, s.deadlineNanos()),
                new Effect.ReserveBlocks(s.terms().fence(), s.blockCount()));
    }

    private static Decision<State, Effect, Refusal> reservationRefused(State.Planned s, Event.ReservationRefused e) {
        return s.reserving()
                ? leave(
                        startAborting(s, AbortReason.of(AbortCause.RESERVATION_REFUSED), e.atNanos())
                                .reservationAnswered(List.of()),
                        List.of())
                : Decision.refused(Refusal.RESERVATION_UNASKED);
    }

    private static Decision<State, Effect, Refusal> blocksReserved(State.Planned s, Event.BlocksReserved e) {
        if (!s.reserving()) {
            return Decision.refused(Refusal.RESERVATION_UNASKED);
        }
        State.Reserved reserved = new State.Reserved(
                s.terms(),
                s.deadlines(),
                e.blockIds(),
                e.atNanos() + s.deadlines().reservedNanos());
        boolean exact = e.blockIds().size() == s.blockCount()
                && e.blockIds().stream().distinct().count() == s.blockCount();
        if (!exact) {
            return violated(reserved, Refusal.RESERVATION_MISMATCH, AbortCause.RESERVATION_REFUSED, e.atNanos());
        }
        return Decision.moved(
                reserved,
                new Effect.ExpectChunks(s.terms().manifest(), s.terms().plan(), e.blockIds()),
                new Effect.AnnounceReservation(s.terms().fence()));
    }

    private static Decision<State, Effect, Refusal> reserved(State.Reserved s, Event event) {
        return switch (event) {
            case Event.ChunkReceived e -> received(transferring(s, e), e);
            case Event.SourceSealed e -> sealed(transferring(s, e), e);
            case Event.Began _ -> Decision.ignored("already begun");
            case Event.BlocksReserved e -> reservedAgain(s.blockIds(), e);
            case Event.ReservationRefused _ -> Decision.refused(Refusal.RESERVATION_UNASKED);
            case Event.ChunkVisible _, Event.CopyFailed _ -> Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
            case Event.DirectoryAnswered _ -> Decision.refused(Refusal.DIRECTORY_ANSWER_UNASKED);
            case Event.SourceAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    /** The first word from the source opens TRANSFERRING. */
    private static State.Transferring transferring(State.Reserved s, Event first) {
        return new State.Transferring(
                s.terms(),
                s.deadlines(),
                s.blockIds(),
                ChunkSet.declared(s.terms().plan()),
                null,
                first.atNanos() + s.deadlines().transferringNanos());
    }

    private static Decision<State, Effect, Refusal> transferring(State.Transferring s, Event event) {
        return switch (event) {
            case Event.ChunkReceived e -> received(s, e);
            case Event.ChunkVisible e -> visible(s, e);
            case Event.CopyFailed e -> copyFailed(s, e);
            case Event.SourceSealed e -> sealed(s, e);
            case Event.Began _ -> Decision.ignored("already begun");
            case Event.BlocksReserved e -> reservedAgain(s.blockIds(), e);
            case Event.ReservationRefused _ -> Decision.refused(Refusal.RESERVATION_UNASKED);
            case Event.DirectoryAnswered _ -> Decision.refused(Refusal.DIRECTORY_ANSWER_UNASKED);
            case Event.SourceAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    private static Decision<State, Effect, Refusal> received(State.Transferring s, Event.ChunkReceived e) {
        ChunkSet chunks = s.chunks();
        if (!chunks.declares(e.index())) {
            return violated(s, Refusal.UNKNOWN_CHUNK, AbortCause.CORRUPTION, e.atNanos());
        }
        boolean sizeAgrees =
                e.payloadBytes() == s.terms().plan().chunk(e.index()).payloadBytes();
        return switch (ChunkMachine.decide(chunks.phase(e.index()), new ChunkMachine.Event.Received())) {
            case Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved ->
                sizeAgrees
                        ? Decision.moved(withChunks(
                                s, chunks.with(e.index(), moved.next()).withChecksum(e.index(), e.checksum())))
                        : violated(s, Refusal.CHUNK_SIZE, AbortCause.CORRUPTION, e.atNanos());
            case Decision.Ignored<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> ignored -> {
                if (!sizeAgrees) {
                    yield violated(s, Refusal.DUPLICATE_CHUNK_OTHER_SIZE, AbortCause.CORRUPTION, e.atNanos());
                }
                yield e.checksum() == chunks.checksum(e.index())
                        ? Decision.ignored(ignored.why())
                        : violated(s, Refusal.DUPLICATE_CHUNK_OTHER_CHECKSUM, AbortCause.CORRUPTION, e.atNanos());
            }
            case Decision.Refused<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> refused ->
                throw new IllegalStateException("a destination's chunk cannot refuse an arrival: " + refused.reason());
        };
    }

    /** §0x06B: the credit returns here and not at arrival, because until now the device copy owned the staging buffer. */
    private static Decision<State, Effect, Refusal> visible(State.Transferring s, Event.ChunkVisible e) {
        ChunkSet chunks = s.chunks();
        if (!chunks.declares(e.index())) {
            return Decision.refused(Refusal.UNKNOWN_CHUNK);
        }
        return switch (ChunkMachine.decide(chunks.phase(e.index()), new ChunkMachine.Event.BecameVisible())) {
            case Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved -> {
                List<Effect> effects = new ArrayList<>();
                for (ChunkMachine.Effect effect : moved.effects()) {
                    effects.add(
                            switch (effect) {
                                case ChunkMachine.Effect.ReturnCredit _ ->
                                    new Effect.ReturnCredit(
                                            s.terms().fence(),
                                            e.index(),
                                            s.terms().plan().chunk(e.index()).payloadBytes());
                            });
                }
                yield publishWhenWhole(withChunks(s, chunks.with(e.index(), moved.next())), e.atNanos(), effects);
            }
            case Decision.Ignored<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> ignored ->
                Decision.ignored(ignored.why());
            case Decision.Refused<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> _ ->
                Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
        };
    }

    private static Decision<State, Effect, Refusal> copyFailed(State.Transferring s, Event.CopyFailed e) {
        if (!s.chunks().declares(e.index())) {
            return Decision.refused(Refusal.UNKNOWN_CHUNK);
        }
        if (s.chunks().phase(e.index()) != ChunkPhase.RECEIVED) {
            return Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
        }
        return abort(s, AbortReason.of(AbortCause.COPY_FAILED), e.atNanos(), List.of());
    }

    private static Decision<State, Effect, Refusal> sealed(State.Transferring s, Event.SourceSealed e) {
        Optional<Refusal> broken = Validation.seal(s.terms(), e.key(), e.seal());
        if (broken.isPresent()) {
            return violated(s, broken.get(), AbortCause.VALIDATION_FAILED, e.atNanos());
        }
        if (s.seal() != null) {
            return s.seal().equals(e.seal())
                    ? Decision.ignored("sealed already")
                    : violated(s, Refusal.SEAL_CHANGED, AbortCause.CORRUPTION, e.atNanos());
        }
        State.Transferring sealed =
                new State.Transferring(s.terms(), s.deadlines(), s.blockIds(), s.chunks(), e.seal(), s.deadlineNanos());
        return publishWhenWhole(sealed, e.atNanos(), List.of());
    }

    /** The consumer gate of §0x06C: sealed, and the last expected chunk visible. */
    private static Decision<State, Effect, Refusal> publishWhenWhole(
            State.Transferring s, long atNanos, List<Effect> effects) {
        Seal seal = s.seal();
        if (seal == null || !s.chunks().every(ChunkPhase.DEVICE_VISIBLE)) {
            return Decision.moved(s, effects);
        }
        if (!Validation.coversExactly(s.terms().plan())) {
            return violated(s, Refusal.COVERAGE, AbortCause.VALIDATION_FAILED, atNanos, effects);
        }
        if (!Validation.checksumsAgree(s.chunks(), seal)) {
            return violated(s, Refusal.CHECKSUM_MISMATCH, AbortCause.CORRUPTION, atNanos, effects);
        }
        List<Effect> all = new ArrayList<>(effects);
        all.add(new Effect.Publish(s.terms().fence(), s.terms().transfer(), s.blockIds()));
        return Decision.moved(
                new State.Validated(
                        s.terms(),
                        s.deadlines(),
                        s.blockIds(),
                        seal,
                        atNanos + s.deadlines().validatedNanos()),
                all);
    }

    private static Decision<State, Effect, Refusal> validated(State.Validated s, Event event) {
        return switch (event) {
            case Event.DirectoryAnswered e -> directoryAnswered(s, e);
            case Event.ChunkReceived e ->
                Validation.differsFromSeal(s.terms(), s.seal(), e)
                        .map(refusal -> violated(s, refusal, AbortCause.CORRUPTION, e.atNanos()))
                        .orElseGet(() -> Decision.ignored("chunk after validation"));
            case Event.SourceSealed e ->
                Validation.sealAgain(s.terms(), s.seal(), e)
                        .map(refusal -> violated(s, refusal, AbortCause.CORRUPTION, e.atNanos()))
                        .orElseGet(() -> Decision.ignored("sealed already"));
            case Event.Began _ -> Decision.ignored("already begun");
            case Event.BlocksReserved e -> reservedAgain(s.blockIds(), e);
            case Event.ReservationRefused _ -> Decision.refused(Refusal.RESERVATION_UNASKED);
            case Event.ChunkVisible _, Event.CopyFailed _ -> Decision.ignored("every chunk is visible");
            case Event.SourceAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    private static Decision<State, Effect, Refusal> directoryAnswered(State.Validated s, Event.DirectoryAnswered e) {
        return switch (e.answer()) {
            case DirectoryAnswer.Published a -> publish(s, a.handle(), List.of());
            case DirectoryAnswer.AlreadyPublishedSame a -> publish(s, a.handle(), List.of());
            case DirectoryAnswer.PublishedOver a ->
                publish(s, a.handle(), List.of(new Effect.ReleaseSuperseded(a.superseded())));
            case DirectoryAnswer.StaleGeneration _ ->
                notPublished(s, Refusal.STALE_GENERATION, AbortCause.STALE_GENERATION, e.atNanos());
            case DirectoryAnswer.AlreadyEnded _ ->
                notPublished(s, Refusal.PUBLICATION_ENDED, AbortCause.PUBLICATION_REFUSED, e.atNanos());
            case DirectoryAnswer.Withdrawn _ -> Decision.refused(Refusal.DIRECTORY_ANSWER_UNASKED);
        };
    }

    /** The order of §0x06D: published first, then decode admitted from the handle, then the source let go. */
    private static Decision<State, Effect, Refusal> publish(
            State.Validated s, PublicationHandle handle, List<Effect> after) {
        if (!handle.transfer().equals(s.terms().transfer())) {
            return Decision.refused(Refusal.DIRECTORY_ANSWER_UNASKED);
        }
        List<Effect> effects = new ArrayList<>();
        effects.add(new Effect.AdmitDecode(handle, s.seal().continuation()));
        effects.add(new Effect.AcknowledgeSource(s.terms().fence(), s.terms().transfer()));
        effects.addAll(after);
        return Decision.moved(new State.Published(s.terms(), s.blockIds(), handle, s.seal()), effects);
    }

    /** The directory said no, so there is nothing to withdraw. */
    private static Decision<State, Effect, Refusal> notPublished(
            State.Validated s, Refusal refusal, AbortCause cause, long atNanos) {
        State.Aborting aborting = startAborting(s, AbortReason.of(cause, refusal), atNanos);
        return leave(aborting.settled(false, true), List.of(new Effect.ReportRefusal(refusal)));
    }

    private static Decision<State, Effect, Refusal> published(State.Published s, Event event) {
        return switch (event) {
            case Event.Cancelled _ -> Decision.refused(Refusal.ABORT_AFTER_PUBLICATION);
            case Event.SourceAborted _ ->
                Decision.moved(
                        s,
                        new Effect.ReportRefusal(Refusal.ABORT_AFTER_PUBLICATION),
                        new Effect.AcknowledgeSource(
                                s.terms().fence(), s.terms().transfer()));
            case Event.SourceSealed e ->
                Validation.sealAgain(s.terms(), s.seal(), e)
                        .<Decision<State, Effect, Refusal>>map(Decision::refused)
                        .orElseGet(() -> Decision.moved(
                                s,
                                new Effect.AcknowledgeSource(
                                        s.terms().fence(), s.terms().transfer())));
            case Event.ChunkReceived e ->
                Validation.differsFromSeal(s.terms(), s.seal(), e)
                        .<Decision<State, Effect, Refusal>>map(Decision::refused)
                        .orElseGet(() -> Decision.ignored(PUBLISHED_ALREADY));
            case Event.Began _,
                    Event.BlocksReserved _,
                    Event.ReservationRefused _,
                    Event.ChunkVisible _,
                    Event.CopyFailed _,
                    Event.DirectoryAnswered _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Decision.ignored(PUBLISHED_ALREADY);
        };
    }

    private static Decision<State, Effect, Refusal> aborting(State.Aborting s, Event event) {
        return switch (event) {
            case Event.TransportQuiesced _ -> settle(s.settled(true, s.withdrawn()), List.of());
            case Event.DirectoryAnswered e ->
                switch (e.answer()) {
                    case DirectoryAnswer.Withdrawn _, DirectoryAnswer.AlreadyEnded _ ->
                        settle(s.settled(s.quiescent(), true), List.of());
                    case DirectoryAnswer.Published _,
                            DirectoryAnswer.PublishedOver _,
                            DirectoryAnswer.AlreadyPublishedSame _,
                            DirectoryAnswer.StaleGeneration _ -> Decision.ignored("overtaken by the withdrawal");
                };
            case Event.EpochFenced e ->
                e.destinationEpoch().equals(s.terms().fence().destinationEpoch())
                        ? settle(s.settled(true, true), List.of())
                        : Decision.ignored(ANOTHER_EPOCH);
            case Event.DeadlinePassed e ->
                e.atNanos() - s.deadlineNanos() < 0
                        ? Decision.ignored(TIMER_OF_THE_PAST)
                        : settle(
                                s.settled(true, true),
                                List.of(new Effect.FenceEpoch(s.terms().fence().destinationEpoch())));
            case Event.BlocksReserved e ->
                s.reserving() ? Decision.moved(s.reservationAnswered(e.blockIds())) : Decision.ignored(ABORTED_ALREADY);
            case Event.ReservationRefused _ ->
                s.reserving() ? Decision.moved(s.reservationAnswered(List.of())) : Decision.ignored(ABORTED_ALREADY);
            case Event.Began _,
                    Event.ChunkReceived _,
                    Event.ChunkVisible _,
                    Event.CopyFailed _,
                    Event.SourceSealed _,
                    Event.SourceAborted _,
                    Event.Cancelled _,
                    Event.PeerLost _ -> Decision.ignored(ABORTED_ALREADY);
        };
    }

    /** §0x06E: credits, blocks and the record follow only when nobody else touches the memory. */
    private static Decision<State, Effect, Refusal> settle(State.Aborting s, List<Effect> before) {
        if (!s.quiescent() || !s.withdrawn()) {
            return Decision.moved(s, before);
        }
        Fence fence = s.terms().fence();
        List<Effect> effects = new ArrayList<>(before);
        effects.add(new Effect.ReleaseStagingCredits(fence, s.stagingBytes()));
        if (!s.blockIds().isEmpty()) {
            effects.add(new Effect.ReleaseBlocks(fence, s.blockIds()));
        }
        effects.add(new Effect.RecordTerminalFailure(s.terms().transfer(), fence.generation(), s.reason()));
        return Decision.moved(new State.Aborted(s.terms(), s.reason(), s.reserving()), effects);
    }

    private static Decision<State, Effect, Refusal> aborted(State.Aborted s, Event event) {
        return switch (event) {
            case Event.BlocksReserved e ->
                s.reserving()
                        ? Decision.moved(
                                new State.Aborted(s.terms(), s.reason(), false),
                                new Effect.ReleaseBlocks(s.terms().fence(), e.blockIds()))
                        : Decision.ignored(ABORTED_ALREADY);
            case Event.ReservationRefused _ ->
                s.reserving()
                        ? Decision.moved(new State.Aborted(s.terms(), s.reason(), false))
                        : Decision.ignored(ABORTED_ALREADY);
            case Event.SourceAborted _ ->
                Decision.moved(s, new Effect.ReleaseStagingCredits(s.terms().fence(), 0));
            case Event.Began _,
                    Event.ChunkReceived _,
                    Event.ChunkVisible _,
                    Event.CopyFailed _,
                    Event.SourceSealed _,
                    Event.DirectoryAnswered _,
                    Event.Cancelled _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Decision.ignored(ABORTED_ALREADY);
        };
    }

    private static Decision<State, Effect, Refusal> reservedAgain(List<Integer> held, Event.BlocksReserved e) {
        return held.equals(e.blockIds())
                ? Decision.ignored("reserved already")
                : Decision.refused(Refusal.RESERVATION_UNASKED);
    }

    private static Decision<State, Effect, Refusal> cancelled(State.Live s, Event.Cancelled e) {
        return abort(s, AbortReason.of(AbortCause.CANCELLED), e.atNanos(), List.of());
    }

    private static Decision<State, Effect, Refusal> peerAborted(State.Live s, Event.SourceAborted e) {
        return abort(s, AbortReason.of(AbortCause.PEER_ABORTED, e.reason().cause()), e.atNanos(), List.of());
    }

    private static Decision<State, Effect, Refusal> peerLost(State.Live s, Event.PeerLost e) {
        return e.sourceEpoch().equals(s.terms().fence().sourceEpoch())
                ? abort(s, AbortReason.of(AbortCause.PEER_LOST), e.atNanos(), List.of())
                : Decision.ignored(ANOTHER_EPOCH);
    }

    private static Decision<State, Effect, Refusal> deadline(State.Live s, Event.DeadlinePassed e) {
        return e.atNanos() - s.deadlineNanos() < 0
                ? Decision.ignored(TIMER_OF_THE_PAST)
                : abort(s, new AbortReason(AbortCause.DEADLINE, s.getClass().getSimpleName()), e.atNanos(), List.of());
    }

    /** The fence has already cut off transport and handles, so nothing is left to wait for. */
    private static Decision<State, Effect, Refusal> epochFenced(State.Live s, Event.EpochFenced e) {
        if (!e.destinationEpoch().equals(s.terms().fence().destinationEpoch())) {
            return Decision.ignored(ANOTHER_EPOCH);
        }
        State.Aborting aborting = startAborting(s, AbortReason.of(AbortCause.EPOCH_FENCED), e.atNanos());
        return settle(
                aborting.settled(true, true),
                List.of(
                        new Effect.TellSourceAborted(s.terms().fence(), aborting.reason()),
                        new Effect.CancelOutstandingChunks(s.terms().fence())));
    }

    private static Decision<State, Effect, Refusal> violated(
            State.Live s, Refusal refusal, AbortCause cause, long atNanos) {
        return violated(s, refusal, cause, atNanos, List.of());
    }

    /** The event is refused, and what it shows about the transfer ends it: counted and acted upon. */
    private static Decision<State, Effect, Refusal> violated(
            State.Live s, Refusal refusal, AbortCause cause, long atNanos, List<Effect> before) {
        List<Effect> effects = new ArrayList<>(before);
        effects.add(new Effect.ReportRefusal(refusal));
        return abort(s, AbortReason.of(cause, refusal), atNanos, effects);
    }

    private static Decision<State, Effect, Refusal> abort(
            State.Live s, AbortReason reason, long atNanos, List<Effect> before) {
        return leave(startAborting(s, reason, atNanos), before);
    }

    /** The first half of the one way out; {@link #settle} is the second. */
    private static Decision<State, Effect, Refusal> leave(State.Aborting s, List<Effect> before) {
        Fence fence = s.terms().fence();
        List<Effect> effects = new ArrayList<>(before);
        if (s.reason().cause() != AbortCause.PEER_ABORTED && s.reason().cause() != AbortCause.PEER_LOST) {
            effects.add(new Effect.TellSourceAborted(fence, s.reason()));
        }
        effects.add(new Effect.CancelOutstandingChunks(fence));
        effects.add(new Effect.QuiesceTransport(fence));
        if (!s.withdrawn()) {
            effects.add(new Effect.WithdrawPublication(fence, s.terms().transfer()));
        }
        return Decision.moved(s, effects);
    }

    private static State.Aborting startAborting(State.Live live, AbortReason reason, long atNanos) {
        return switch (live) {
            case State.Planned s ->
                new State.Aborting(
                        s.terms(),
                        List.of(),
                        reason,
                        0,
                        s.reserving(),
                        false,
                        true,
                        atNanos + s.deadlines().abortingNanos());
            case State.Reserved s ->
                new State.Aborting(
                        s.terms(),
                        s.blockIds(),
                        reason,
                        0,
                        false,
                        false,
                        true,
                        atNanos + s.deadlines().abortingNanos());
            case State.Transferring s ->
                new State.Aborting(
                        s.terms(),
                        s.blockIds(),
                        reason,
                        s.chunks().creditBytes(),
                        false,
                        false,
                        true,
                        atNanos + s.deadlines().abortingNanos());
            case State.Validated s ->
                new State.Aborting(
                        s.terms(),
                        s.blockIds(),
                        reason,
                        0,
                        false,
                        false,
                        false,
                        atNanos + s.deadlines().abortingNanos());
            case State.Aborting s -> s;
        };
    }

    private static State.Transferring withChunks(State.Transferring s, ChunkSet chunks) {
        return new State.Transferring(s.terms(), s.deadlines(), s.blockIds(), chunks, s.seal(), s.deadlineNanos());
    }
}
