package dev.baton.transfer.source;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.chunk.ChunkMachine;
import dev.baton.transfer.chunk.ChunkPhase;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The source's counterpart of the transfer transaction: it owns the only recoverable copy until publication is acknowledged.
 * The producer gate of §0x06C is here: a chunk is offered only when its layer's K/V covers its token interval.
 *
 * <p>Longer than most files: every state answers every event by name, so that a new event cannot be forgotten anywhere.
 * Units and the two kinds of refusal are those of {@code DestinationTransfer}.
 */
public final class SourceTransfer {
    private static final String NOT_ASKED_TO_QUIESCE = "no quiescence was asked for";
    private static final String RELEASED_ALREADY = "released already";
    private static final String ABORTED_ALREADY = "aborted already";
    private static final String SEALED_ALREADY = "sealed already";
    private static final String ANOTHER_EPOCH = "another epoch of that worker";
    private static final String TIMER_OF_THE_PAST = "a timer of an earlier state";

    private SourceTransfer() {}

    /** The first state; send it {@code Began}. */
    public static State announce(Terms terms, Deadlines deadlines, long atNanos) {
        ReadyTokens none =
                ReadyTokens.none(terms.plan().layers(), terms.plan().tokens().start());
        return new State.Announced(terms, deadlines, false, none, null, atNanos + deadlines.announcedNanos());
    }

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

        /** Waiting until the transport reads neither blocks nor buffers; {@code chunks} that held credit are FAILED. */
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
        ABORT_AFTER_RELEASE;

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
    }

    public static Decision<State, Effect, Refusal> decide(State state, Event event) {
        Optional<Refusal> foreign =
                fenceOf(event).flatMap(state.terms().fence()::firstMismatch).map(Refusal::of);
        if (foreign.isPresent()) {
            return Decision.refused(foreign.get());
        }
        return switch (state) {
            case State.Announced announced -> announced(announced, event);
            case State.Streaming streaming -> streaming(streaming, event);
            case State.Sealed sealed -> sealed(sealed, event);
            case State.Aborting aborting -> aborting(aborting, event);
            case State.Released released -> released(released, event);
            case State.Aborted aborted -> aborted(aborted, event);
        };
    }

    /** Local events come from this worker's own shell and carry none. */
    private static Optional<Fence> fenceOf(Event event) {
        return switch (event) {
            case Event.KvReady e -> Optional.of(e.fence());
            case Event.PrefillFinished e -> Optional.of(e.fence());
            case Event.DestinationReserved e -> Optional.of(e.fence());
            case Event.CreditReturned e -> Optional.of(e.fence());
            case Event.PublicationAcknowledged e -> Optional.of(e.fence());
            case Event.DestinationAborted e -> Optional.of(e.fence());
            case Event.Cancelled e -> Optional.of(e.fence());
            case Event.Began _,
                    Event.CreditGranted _,
                    Event.ChunkSent _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Optional.empty();
        };
    }

    private static Decision<State, Effect, Refusal> announced(State.Announced s, Event event) {
        return switch (event) {
            case Event.Began _ ->
                s.pinned()
                        ? Decision.ignored("already begun")
                        : Decision.moved(
                                new State.Announced(
                                        s.terms(), s.deadlines(), true, s.ready(), s.continuation(), s.deadlineNanos()),
                                new Effect.PinBlocks(s.terms().fence()));
            case Event.KvReady e -> kvReady(s, e);
            case Event.PrefillFinished e -> prefillFinished(s, e);
            case Event.DestinationReserved e -> destinationReserved(s, e);
            case Event.CreditGranted _, Event.ChunkSent _ -> Decision.refused(Refusal.CHUNK_NOT_OFFERED);
            case Event.CreditReturned _ -> Decision.refused(Refusal.RETURNED_BEFORE_SENT);
            case Event.PublicationAcknowledged _ -> Decision.refused(Refusal.ACKNOWLEDGED_BEFORE_SEAL);
            case Event.DestinationAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    private static Decision<State, Effect, Refusal> kvReady(State.Announced s, Event.KvReady e) {
        if (!s.pinned()) {
            return Decision.refused(Refusal.NOT_BEGUN);
        }
        return ProducerGate.refusal(s.terms().plan(), e)
                .<Decision<State, Effect, Refusal>>map(Decision::refused)
                .orElseGet(() -> e.tokensReadyUpTo() <= s.ready().upTo(e.layer())
                        ? Decision.ignored("known already")
                        : Decision.moved(new State.Announced(
                                s.terms(),
                                s.deadlines(),
                                true,
                                s.ready().with(e.layer(), e.tokensReadyUpTo()),
                                s.continuation(),
                                s.deadlineNanos())));
    }

    private static Decision<State, Effect, Refusal> prefillFinished(State.Announced s, Event.PrefillFinished e) {
        return finish(s.terms(), s.ready(), s.continuation(), e)
                .orElseGet(() -> Decision.moved(new State.Announced(
                        s.terms(), s.deadlines(), s.pinned(), s.ready(), e.continuation(), s.deadlineNanos())));
    }

    private static Decision<State, Effect, Refusal> destinationReserved(
            State.Announced s, Event.DestinationReserved e) {
        if (!s.pinned()) {
            return Decision.refused(Refusal.NOT_BEGUN);
        }
        ReadyTokens none =
                ReadyTokens.none(s.ready().layers(), s.terms().plan().tokens().start());
        List<Effect> offers = new ArrayList<>();
        for (int layer = 0; layer < s.ready().layers(); layer++) {
            offers.addAll(offers(s.terms(), layer, none.upTo(layer), s.ready().upTo(layer)));
        }
        return Decision.moved(
                new State.Streaming(
                        s.terms(),
                        s.deadlines(),
                        s.ready(),
                        ChunkSet.declared(s.terms().plan()),
                        s.continuation(),
                        e.atNanos() + s.deadlines().streamingNanos()),
                offers);
    }

    private static Decision<State, Effect, Refusal> streaming(State.Streaming s, Event event) {
        return switch (event) {
            case Event.KvReady e -> kvReady(s, e);
            case Event.PrefillFinished e -> prefillFinished(s, e);
            case Event.CreditGranted e -> creditGranted(s, e);
            case Event.ChunkSent e -> chunkSent(s, e);
            case Event.CreditReturned e -> creditReturned(s, s.chunks(), e, chunks -> withChunks(s, chunks));
            case Event.Began _ -> Decision.ignored("already begun");
            case Event.DestinationReserved _ -> Decision.ignored("known already");
            case Event.PublicationAcknowledged _ -> Decision.refused(Refusal.ACKNOWLEDGED_BEFORE_SEAL);
            case Event.DestinationAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
            case Event.DeadlinePassed e -> deadline(s, e);
        };
    }

    private static Decision<State, Effect, Refusal> kvReady(State.Streaming s, Event.KvReady e) {
        Optional<Refusal> refusal = ProducerGate.refusal(s.terms().plan(), e);
        if (refusal.isPresent()) {
            return Decision.refused(refusal.get());
        }
        int before = s.ready().upTo(e.layer());
        if (e.tokensReadyUpTo() <= before) {
            return Decision.ignored("known already");
        }
        return Decision.moved(
                new State.Streaming(
                        s.terms(),
                        s.deadlines(),
                        s.ready().with(e.layer(), e.tokensReadyUpTo()),
                        s.chunks(),
                        s.continuation(),
                        s.deadlineNanos()),
                offers(s.terms(), e.layer(), before, e.tokensReadyUpTo()));
    }

    private static List<Effect> offers(Terms terms, int layer, int before, int now) {
        return ProducerGate.opened(terms.plan(), layer, before, now).stream()
                .<Effect>map(spec -> new Effect.OfferChunk(terms.fence(), spec))
                .toList();
    }

    private static Decision<State, Effect, Refusal> prefillFinished(State.Streaming s, Event.PrefillFinished e) {
        return finish(s.terms(), s.ready(), s.continuation(), e)
                .orElseGet(() -> sealWhenSent(
                        new State.Streaming(
                                s.terms(), s.deadlines(), s.ready(), s.chunks(), e.continuation(), s.deadlineNanos()),
                        e.atNanos()));
    }

    /** What speaks against adopting the continuation; empty where nothing does. */
    private static Optional<Decision<State, Effect, Refusal>> finish(
            Terms terms, ReadyTokens ready, @Nullable Continuation held, Event.PrefillFinished e) {
        Continuation continuation = e.continuation();
        if (held != null) {
            return Optional.of(
                    held.equals(continuation)
                            ? Decision.ignored("known already")
                            : Decision.refused(Refusal.CONTINUATION_MISMATCH));
        }
        if (continuation.firstTokens().isEmpty() || continuation.nextTokenIndex() <= 0) {
            return Optional.of(Decision.refused(Refusal.CONTINUATION_MISMATCH));
        }
        return ready.every(terms.plan().tokens().end())
                ? Optional.empty()
                : Optional.of(Decision.refused(Refusal.FINISHED_BEFORE_READY));
    }

    private static Decision<State, Effect, Refusal> creditGranted(State.Streaming s, Event.CreditGranted e) {
        if (!s.chunks().declares(e.index())) {
            return Decision.refused(Refusal.UNKNOWN_CHUNK);
        }
        if (!ProducerGate.isOpen(s.terms().plan().chunk(e.index()), s.ready())) {
            return Decision.refused(Refusal.CHUNK_NOT_OFFERED);
        }
        return switch (ChunkMachine.decide(s.chunks().phase(e.index()), new ChunkMachine.Event.CreditGranted())) {
            case Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved ->
                Decision.moved(withChunks(s, s.chunks().with(e.index(), moved.next())));
            case Decision.Ignored<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> ignored ->
                Decision.ignored(ignored.why());
            case Decision.Refused<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> refused ->
                throw new IllegalStateException("no phase refuses credit: " + refused.reason());
        };
    }

    private static Decision<State, Effect, Refusal> chunkSent(State.Streaming s, Event.ChunkSent e) {
        if (!s.chunks().declares(e.index())) {
            return Decision.refused(Refusal.UNKNOWN_CHUNK);
        }
        if (!ProducerGate.isOpen(s.terms().plan().chunk(e.index()), s.ready())) {
            return Decision.refused(Refusal.CHUNK_NOT_OFFERED);
        }
        return switch (ChunkMachine.decide(s.chunks().phase(e.index()), new ChunkMachine.Event.Sent())) {
            case Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved ->
                sealWhenSent(
                        withChunks(s, s.chunks().with(e.index(), moved.next()).withChecksum(e.index(), e.checksum())),
                        e.atNanos());
            case Decision.Ignored<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> _ ->
                sentAgain(s, s.chunks(), e);
            case Decision.Refused<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> _ ->
                Decision.refused(Refusal.SENT_WITHOUT_CREDIT);
        };
    }

    private static Decision<State, Effect, Refusal> sentAgain(State.Live s, ChunkSet chunks, Event.ChunkSent e) {
        return chunks.checksum(e.index()) == e.checksum()
                ? Decision.ignored("sent already")
                : violated(s, Refusal.SENT_AGAIN_OTHER_CHECKSUM, AbortCause.CORRUPTION, e.atNanos());
    }

    private static Decision<State, Effect, Refusal> creditReturned(
            State s, ChunkSet chunks, Event.CreditReturned e, Function<ChunkSet, State> with) {
        if (!chunks.declares(e.index())) {
            return Decision.refused(Refusal.UNKNOWN_CHUNK);
        }
        return switch (ChunkMachine.decide(chunks.phase(e.index()), new ChunkMachine.Event.BecameVisible())) {
            case Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved ->
                Decision.moved(
                        with.apply(chunks.with(e.index(), moved.next())),
                        moved.effects().stream()
                                .<Effect>map(effect -> switch (effect) {
                                    case ChunkMachine.Effect.ReturnCredit _ ->
                                        new Effect.ReleaseCredits(
                                                s.terms().fence(),
                                                s.terms()
                                                        .plan()
                                                        .chunk(e.index())
                                                        .payloadBytes());
                                })
                                .toList());
            case Decision.Ignored<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> ignored ->
                Decision.ignored(ignored.why());
            case Decision.Refused<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> _ ->
                Decision.refused(Refusal.RETURNED_BEFORE_SENT);
        };
    }

    /** The last chunk has left and prefill has said how to go on. */
    private static Decision<State, Effect, Refusal> sealWhenSent(State.Streaming s, long atNanos) {
        Continuation continuation = s.continuation();
        int left = s.chunks().count(ChunkPhase.SENT) + s.chunks().count(ChunkPhase.DEVICE_VISIBLE);
        if (continuation == null || left < s.chunks().count()) {
            return Decision.moved(s);
        }
        Seal seal = new Seal(s.chunks().checksums(), continuation);
        return Decision.moved(
                new State.Sealed(
                        s.terms(),
                        s.deadlines(),
                        s.chunks(),
                        seal,
                        1,
                        atNanos + s.deadlines().sealedNanos()),
                new Effect.SendSeal(s.terms().fence(), s.terms().key(), seal));
    }

    private static Decision<State, Effect, Refusal> sealed(State.Sealed s, Event event) {
        return switch (event) {
            case Event.PublicationAcknowledged e -> acknowledged(s, s.chunks(), true, e);
            case Event.CreditReturned e ->
                creditReturned(
                        s,
                        s.chunks(),
                        e,
                        chunks -> new State.Sealed(
                                s.terms(), s.deadlines(), chunks, s.seal(), s.attempts(), s.deadlineNanos()));
            case Event.DeadlinePassed e ->
                e.atNanos() - s.deadlineNanos() >= 0
                                && s.attempts() < s.deadlines().sealAttempts()
                        ? Decision.moved(
                                new State.Sealed(
                                        s.terms(),
                                        s.deadlines(),
                                        s.chunks(),
                                        s.seal(),
                                        s.attempts() + 1,
                                        e.atNanos() + s.deadlines().sealedNanos()),
                                new Effect.SendSeal(s.terms().fence(), s.terms().key(), s.seal()))
                        : deadline(s, e);
            case Event.ChunkSent e ->
                s.chunks().declares(e.index()) ? sentAgain(s, s.chunks(), e) : Decision.refused(Refusal.UNKNOWN_CHUNK);
            case Event.PrefillFinished e ->
                s.seal().continuation().equals(e.continuation())
                        ? Decision.ignored(SEALED_ALREADY)
                        : Decision.refused(Refusal.CONTINUATION_MISMATCH);
            case Event.Began _, Event.KvReady _, Event.DestinationReserved _, Event.CreditGranted _ ->
                Decision.ignored(SEALED_ALREADY);
            case Event.DestinationAborted e -> peerAborted(s, e);
            case Event.Cancelled e -> cancelled(s, e);
            case Event.PeerLost e -> peerLost(s, e);
            case Event.TransportQuiesced _ -> Decision.ignored(NOT_ASKED_TO_QUIESCE);
            case Event.EpochFenced e -> epochFenced(s, e);
        };
    }

    /** Published means every chunk is visible there: nobody reads our blocks, and credit still out lost its return message. */
    private static Decision<State, Effect, Refusal> acknowledged(
            State s, ChunkSet chunks, boolean pinned, Event.PublicationAcknowledged e) {
        if (!e.transfer().equals(s.terms().transfer())) {
            return Decision.refused(Refusal.TRANSFER_MISMATCH);
        }
        List<Effect> effects = new ArrayList<>();
        release(effects, s.terms().fence(), chunks, pinned);
        return Decision.moved(new State.Released(s.terms()), effects);
    }

    private static void release(List<Effect> effects, Fence fence, ChunkSet chunks, boolean pinned) {
        if (chunks.creditBytes() > 0) {
            effects.add(new Effect.ReleaseCredits(fence, chunks.creditBytes()));
        }
        if (pinned) {
            effects.add(new Effect.ReleaseBlocks(fence));
        }
    }

    private static Decision<State, Effect, Refusal> aborting(State.Aborting s, Event event) {
        return switch (event) {
            case Event.TransportQuiesced _ -> settle(s, List.of());
            case Event.EpochFenced e ->
                e.sourceEpoch().equals(s.terms().fence().sourceEpoch())
                        ? settle(s, List.of())
                        : Decision.ignored(ANOTHER_EPOCH);
            case Event.DeadlinePassed e ->
                e.atNanos() - s.deadlineNanos() < 0
                        ? Decision.ignored(TIMER_OF_THE_PAST)
                        : settle(
                                s,
                                List.of(new Effect.FenceEpoch(s.terms().fence().sourceEpoch())));
            case Event.PublicationAcknowledged e -> acknowledged(s, s.chunks(), s.pinned(), e);
            case Event.CreditGranted e -> {
                if (!s.chunks().declares(e.index())) {
                    yield Decision.refused(Refusal.UNKNOWN_CHUNK);
                }
                yield s.chunks().phase(e.index()) == ChunkPhase.DECLARED
                        ? Decision.moved(new State.Aborting(
                                s.terms(),
                                s.pinned(),
                                s.chunks().with(e.index(), ChunkPhase.FAILED),
                                s.reason(),
                                s.deadlineNanos()))
                        : Decision.ignored(ABORTED_ALREADY);
            }
            case Event.Began _,
                    Event.KvReady _,
                    Event.PrefillFinished _,
                    Event.DestinationReserved _,
                    Event.ChunkSent _,
                    Event.CreditReturned _,
                    Event.DestinationAborted _,
                    Event.Cancelled _,
                    Event.PeerLost _ -> Decision.ignored(ABORTED_ALREADY);
        };
    }

    /** §0x06E: credits, blocks and the record follow only when the transport is out of the way. */
    private static Decision<State, Effect, Refusal> settle(State.Aborting s, List<Effect> before) {
        Fence fence = s.terms().fence();
        List<Effect> effects = new ArrayList<>(before);
        release(effects, fence, s.chunks(), s.pinned());
        effects.add(new Effect.RecordTerminalFailure(s.terms().transfer(), fence.generation(), s.reason()));
        return Decision.moved(new State.Aborted(s.terms(), s.chunks().reclaim(), s.reason()), effects);
    }

    private static Decision<State, Effect, Refusal> released(State.Released s, Event event) {
        return switch (event) {
            case Event.DestinationAborted _ -> Decision.refused(Refusal.ABORT_AFTER_RELEASE);
            case Event.PublicationAcknowledged e ->
                e.transfer().equals(s.terms().transfer())
                        ? Decision.ignored(RELEASED_ALREADY)
                        : Decision.refused(Refusal.TRANSFER_MISMATCH);
            case Event.Began _,
                    Event.KvReady _,
                    Event.PrefillFinished _,
                    Event.DestinationReserved _,
                    Event.CreditGranted _,
                    Event.ChunkSent _,
                    Event.CreditReturned _,
                    Event.Cancelled _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Decision.ignored(RELEASED_ALREADY);
        };
    }

    private static Decision<State, Effect, Refusal> aborted(State.Aborted s, Event event) {
        return switch (event) {
            case Event.CreditGranted e -> {
                if (!s.chunks().declares(e.index())) {
                    yield Decision.refused(Refusal.UNKNOWN_CHUNK);
                }
                yield s.chunks().phase(e.index()) == ChunkPhase.DECLARED
                        ? Decision.moved(
                                new State.Aborted(
                                        s.terms(), s.chunks().with(e.index(), ChunkPhase.RECLAIMED), s.reason()),
                                new Effect.ReleaseCredits(
                                        s.terms().fence(),
                                        s.terms().plan().chunk(e.index()).payloadBytes()))
                        : Decision.ignored(ABORTED_ALREADY);
            }
            case Event.Began _,
                    Event.KvReady _,
                    Event.PrefillFinished _,
                    Event.DestinationReserved _,
                    Event.ChunkSent _,
                    Event.CreditReturned _,
                    Event.PublicationAcknowledged _,
                    Event.DestinationAborted _,
                    Event.Cancelled _,
                    Event.PeerLost _,
                    Event.TransportQuiesced _,
                    Event.EpochFenced _,
                    Event.DeadlinePassed _ -> Decision.ignored(ABORTED_ALREADY);
        };
    }

    private static Decision<State, Effect, Refusal> cancelled(State.Live s, Event.Cancelled e) {
        return abort(s, AbortReason.of(AbortCause.CANCELLED), e.atNanos(), List.of());
    }

    private static Decision<State, Effect, Refusal> peerAborted(State.Live s, Event.DestinationAborted e) {
        return abort(s, AbortReason.of(AbortCause.PEER_ABORTED, e.reason().cause()), e.atNanos(), List.of());
    }

    private static Decision<State, Effect, Refusal> peerLost(State.Live s, Event.PeerLost e) {
        return e.destinationEpoch().equals(s.terms().fence().destinationEpoch())
                ? abort(s, AbortReason.of(AbortCause.PEER_LOST), e.atNanos(), List.of())
                : Decision.ignored(ANOTHER_EPOCH);
    }

    private static Decision<State, Effect, Refusal> deadline(State.Live s, Event.DeadlinePassed e) {
        return e.atNanos() - s.deadlineNanos() < 0
                ? Decision.ignored(TIMER_OF_THE_PAST)
                : abort(s, new AbortReason(AbortCause.DEADLINE, s.getClass().getSimpleName()), e.atNanos(), List.of());
    }

    /** The fence has already cut off the transport, so nothing is left to wait for. */
    private static Decision<State, Effect, Refusal> epochFenced(State.Live s, Event.EpochFenced e) {
        if (!e.sourceEpoch().equals(s.terms().fence().sourceEpoch())) {
            return Decision.ignored(ANOTHER_EPOCH);
        }
        State.Aborting aborting = startAborting(s, AbortReason.of(AbortCause.EPOCH_FENCED), e.atNanos());
        return settle(
                aborting,
                List.of(
                        new Effect.TellDestinationAborted(s.terms().fence(), aborting.reason()),
                        new Effect.CancelOutstandingChunks(s.terms().fence())));
    }

    /** The event is refused, and what it shows about the transfer ends it: counted and acted upon. */
    private static Decision<State, Effect, Refusal> violated(
            State.Live s, Refusal refusal, AbortCause cause, long atNanos) {
        return abort(s, AbortReason.of(cause, refusal), atNanos, List.of(new Effect.ReportRefusal(refusal)));
    }

    /** The first half of the one way out; {@link #settle} is the second. */
    private static Decision<State, Effect, Refusal> abort(
            State.Live s, AbortReason reason, long atNanos, List<Effect> before) {
        Fence fence = s.terms().fence();
        List<Effect> effects = new ArrayList<>(before);
        if (reason.cause() != AbortCause.PEER_ABORTED && reason.cause() != AbortCause.PEER_LOST) {
            effects.add(new Effect.TellDestinationAborted(fence, reason));
        }
        effects.add(new Effect.CancelOutstandingChunks(fence));
        effects.add(new Effect.QuiesceTransport(fence));
        return Decision.moved(startAborting(s, reason, atNanos), effects);
    }

    private static State.Aborting startAborting(State.Live live, AbortReason reason, long atNanos) {
        return switch (live) {
            case State.Announced s ->
                new State.Aborting(
                        s.terms(),
                        s.pinned(),
                        ChunkSet.declared(s.terms().plan()),
                        reason,
                        atNanos + s.deadlines().abortingNanos());
            case State.Streaming s ->
                new State.Aborting(
                        s.terms(),
                        true,
                        s.chunks().failOutstanding(),
                        reason,
                        atNanos + s.deadlines().abortingNanos());
            case State.Sealed s ->
                new State.Aborting(
                        s.terms(),
                        true,
                        s.chunks().failOutstanding(),
                        reason,
                        atNanos + s.deadlines().abortingNanos());
            case State.Aborting s -> s;
        };
    }

    private static State.Streaming withChunks(State.Streaming s, ChunkSet chunks) {
        return new State.Streaming(s.terms(), s.deadlines(), s.ready(), chunks, s.continuation(), s.deadlineNanos());
    }
}
