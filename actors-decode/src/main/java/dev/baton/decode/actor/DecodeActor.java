package dev.baton.decode.actor;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.decode.DecodeAdmission;
import dev.baton.decode.DecodeSequences;
import dev.baton.decode.SequenceRun;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.kv.TrajectoryShape;
import dev.baton.scheduler.mls.actor.EndedLegs;
import dev.baton.scheduler.mls.actor.LegRecords;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.request.Leg;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.DecodeProtocol.Command;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.directory.Lookup;
import dev.baton.transfer.directory.PublicationDirectory;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.TransferProtocol;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.jspecify.annotations.Nullable;

/**
 * The decode side of one worker: owner of the publication directory, admits legs, routes what is said to them, keeps their
 * deadlines.
 */
public final class DecodeActor {

    /**
     * What the actor holds.
     *
     * @param legs legs that have not ended
     * @param choices sequences of those legs
     */
    public record Load(int legs, int choices) {}

    private static final ReservationId NO_RESERVATION = new ReservationId(0);

    /** Who asks for a leg; with a reservation it becomes the fence. */
    private record Asker(TenantId tenant, RequestId request, Generation generation, Attempt attempt) {
        Fence fence(WorkerEpoch source, WorkerEpoch destination, ReservationId reservation) {
            return new Fence(tenant, request, generation, attempt, source, destination, reservation);
        }

        TransferId transfer() {
            return TransferId.of(tenant, request, generation, attempt);
        }
    }

    /** What a late message of the source is answered with; {@code source} is absent where there was no transfer. */
    private record Ended(@Nullable ActorRef<PrefillProtocol.Command> source, boolean published) {}

    private final WorkerContext context;
    private final ActorContext<Command> actor;
    private final Map<Fence, DecodeLeg> legs = new LinkedHashMap<>();
    private final EndedLegs<Ended> ended;
    /** Asked to be released by a request that knew no reservation: a Reserve that comes after its own release is late. */
    private final Set<TransferId> releasedUnseen;

    private final PublicationDirectory directory;

    private DecodeActor(WorkerContext context, ActorContext<Command> actor, TimerScheduler<Command> timers) {
        this.context = context;
        this.actor = actor;
        this.ended = new EndedLegs<>(context.config().rememberedFences());
        this.releasedUnseen = remembering(context.config().rememberedFences());
        this.directory = new PublicationDirectory(context.config().rememberedFences());
        timers.startTimerWithFixedDelay(new Signal.Tick(), context.config().tick());
    }

    /** One per worker, spawned by its owner. */
    public static Behavior<Command> create(WorkerContext context) {
        return Behaviors.setup(actor -> Behaviors.withTimers(timers -> {
            DecodeActor decode = new DecodeActor(context, actor, timers);
            return Behaviors.receive(Command.class)
                    .onAnyMessage(decode::onMessage)
                    .build();
        }));
    }

    /** Asks for what the actor holds: tests and reports. */
    public static Command read(ActorRef<Load> replyTo) {
        return new Signal.Read(replyTo);
    }

    private Behavior<Command> onMessage(Command message) {
        switch (message) {
            case DecodeProtocol.Reserve reserve -> reserve(reserve);
            case DecodeProtocol.StartColocated start -> startColocated(start);
            case DecodeProtocol.TokensAccepted(Fence fence, int choice, int nextIndex) ->
                exact(fence, "TokensAccepted", leg -> leg.tokensAccepted(choice, nextIndex));
            case DecodeProtocol.EndChoice(Fence fence, int choice) ->
                exact(fence, "EndChoice", leg -> leg.endChoice(choice));
            case DecodeProtocol.ReleaseDecode(Fence fence, String cause) -> release(fence, cause);
            case DecodeProtocol.SourceSealed(TransferProtocol.SourceSealed sealed) -> sourceSealed(sealed);
            case DecodeProtocol.SourceAborted(TransferProtocol.SourceAborted aborted) -> sourceAborted(aborted);
            case DecodeProtocol.PrefillComputed(Fence fence) ->
                incoming(fence, "PrefillComputed", IncomingKv::prefillComputed);
            case DecodeProtocol.PeerLost(WorkerEpoch epoch) ->
                List.copyOf(legs.values())
                        .forEach(leg -> act(leg, lost -> {
                            if (lost.arrival() instanceof IncomingKv kv
                                    && lost.fence().sourceEpoch().equals(epoch)) {
                                kv.peerLost(epoch);
                            }
                        }));
            case Signal signal -> onSignal(signal);
            case DecodeProtocol.Internal other ->
                throw new IllegalStateException("no such internal message: " + other.getClass());
        }
        return Behaviors.same();
    }

    private void onSignal(Signal signal) {
        switch (signal) {
            case Signal.ChunksExpected expected ->
                own(expected.fence(), leg -> {
                    if (expected.failure() != null) {
                        leg.fail("link: " + expected.failure());
                    } else if (leg.arrival() instanceof IncomingKv kv) {
                        kv.chunksExpected();
                    }
                });
            case Signal.ChunkArrived chunk -> ownIncoming(chunk.fence(), kv -> kv.chunkArrived(chunk));
            case Signal.ChunkRepeated chunk -> ownIncoming(chunk.fence(), kv -> kv.chunkRepeated(chunk));
            case Signal.ChunkRefused refused -> context.metrics().refused("link", refused.reason());
            case Signal.LinkQuiesced(Fence fence) -> ownIncoming(fence, IncomingKv::linkQuiesced);
            case Signal.CreditsDue(Fence fence) -> ownIncoming(fence, IncomingKv::sendCredits);
            case Signal.PromptComputed computed -> own(computed.fence(), leg -> promptComputed(leg, computed));
            case Signal.PromptLeftLoop(Fence fence) ->
                own(fence, leg -> {
                    if (leg.arrival() instanceof LocalPrompt prompt) {
                        prompt.leftLoop();
                    }
                });
            case Signal.TokenSampled(Fence fence, int choice, int index, int token) ->
                own(fence, leg -> leg.sampled(choice, index, token));
            case Signal.SequenceLeft(Fence fence, int choice) -> own(fence, leg -> leg.sequenceLeft(choice));
            case Signal.Unsamplable(Fence fence, String field) ->
                own(fence, leg -> leg.fail("no token to choose: " + field));
            case Signal.LoopBroke(Fence fence, String bug) -> own(fence, leg -> leg.fail("worker fenced: " + bug));
            case Signal.Tick tick -> {
                long nowNanos = context.nowNanos();
                List.copyOf(legs.values()).forEach(leg -> act(leg, due -> due.ticked(nowNanos)));
            }
            case Signal.Read(ActorRef<Load> replyTo) -> replyTo.tell(new Load(legs.size(), choices()));
        }
    }

    // ---- admission ----

    private void reserve(DecodeProtocol.Reserve ask) {
        Asker asker = new Asker(ask.tenant(), ask.request(), ask.generation(), ask.attempt());
        if (releasedUnseen.contains(asker.transfer())) {
            refuse(asker, ask.source().epoch(), LegRefusal.SUPERSEDED);
            return;
        }
        DecodeLeg known = byTransfer(asker.transfer());
        if (known != null) {
            if (known.arrival() instanceof IncomingKv kv) {
                kv.announceAgain();
            }
            return;
        }
        DecodeAdmission admission = admission();
        Optional<LegRefusal> refusal = admission
                .refusal(ask.expectedEpoch(), ask.roleEpoch(), false, ask.spec())
                .or(() -> room(asker, ask.spec().choices()));
        if (refusal.isPresent()) {
            refuse(asker, ask.source().epoch(), refusal.get());
            return;
        }
        LegTokens tokens = LegTokens.of(ask.spec());
        TrajectoryShape shape = admission.shape(tokens);
        Optional<KvReservation> reservation =
                context.pool().reserve(asker.transfer(), Math.toIntExact(shape.totalBlocks()));
        if (reservation.isEmpty()) {
            refuse(asker, ask.source().epoch(), LegRefusal.NO_KV_CAPACITY);
            return;
        }
        Fence fence = asker.fence(
                ask.source().epoch(), context.epoch(), reservation.get().id());
        HandoffManifest manifest =
                ManifestFreezer.freeze(context, fence, ask.source().worker(), tokens);
        LegRecords records = records();
        IncomingKv kv = new IncomingKv(
                context,
                manifest,
                reservation.get(),
                ask.source().prefill(),
                directory,
                actor.getSelf(),
                records,
                new KvOwner(fence));
        begin(new DecodeLeg(context, fence, tokens, sequences(fence, tokens, reservation.get(), shape), kv, records));
    }

    private void startColocated(DecodeProtocol.StartColocated ask) {
        Asker asker = new Asker(ask.tenant(), ask.request(), ask.generation(), ask.attempt());
        if (releasedUnseen.contains(asker.transfer())) {
            refuse(asker, context.epoch(), LegRefusal.SUPERSEDED);
            return;
        }
        DecodeLeg known = byTransfer(asker.transfer());
        if (known != null) {
            tell(known.fence(), new RequestProtocol.ColocatedAccepted(known.fence()));
            return;
        }
        DecodeAdmission admission = admission();
        Optional<LegRefusal> refusal = admission
                .refusal(ask.expectedEpoch(), ask.roleEpoch(), true, ask.spec())
                .or(() -> room(asker, ask.spec().choices()));
        if (refusal.isPresent()) {
            refuse(asker, context.epoch(), refusal.get());
            return;
        }
        LegTokens tokens = LegTokens.of(ask.spec());
        TrajectoryShape shape = admission.shape(tokens);
        Optional<KvReservation> reservation =
                context.pool().reserve(asker.transfer(), Math.toIntExact(shape.totalBlocks()));
        if (reservation.isEmpty()) {
            refuse(asker, context.epoch(), LegRefusal.NO_KV_CAPACITY);
            return;
        }
        Fence fence =
                asker.fence(context.epoch(), context.epoch(), reservation.get().id());
        LocalPrompt prompt = new LocalPrompt(context, fence, tokens, reservation.get(), actor.getSelf());
        DecodeLeg leg = new DecodeLeg(
                context, fence, tokens, sequences(fence, tokens, reservation.get(), shape), prompt, records());
        if (begin(leg)) {
            tell(fence, new RequestProtocol.ColocatedAccepted(fence));
        } else {
            refuse(asker, context.epoch(), LegRefusal.QUEUE_FULL);
        }
    }

    private boolean begin(DecodeLeg leg) {
        legs.put(leg.fence(), leg);
        if (!leg.arrival().begin()) {
            legs.remove(leg.fence());
            return false;
        }
        return true;
    }

    /** Ends older legs of the same request; then asks whether one more fits. */
    private Optional<LegRefusal> room(Asker asker, int choices) {
        for (DecodeLeg leg : ofRequest(asker.request())) {
            Fence other = leg.fence();
            if (!other.tenant().equals(asker.tenant())) {
                continue;
            }
            int byGeneration = other.generation().compareTo(asker.generation());
            int age = byGeneration != 0 ? byGeneration : other.attempt().compareTo(asker.attempt());
            if (age > 0) {
                return Optional.of(LegRefusal.SUPERSEDED);
            }
            act(leg, older -> older.end("superseded"));
        }
        boolean full = legs.size() >= context.config().maxDecodeLegs()
                || choices() + choices > context.config().maxDecodeSequences();
        return full ? Optional.of(LegRefusal.QUEUE_FULL) : Optional.empty();
    }

    private DecodeAdmission admission() {
        return new DecodeAdmission(
                context.epoch(),
                context.role().get(),
                context.contextTokens(),
                context.config().blockTokens(),
                context.pool().totalBlocks());
    }

    private DecodeSequences sequences(Fence fence, LegTokens tokens, KvReservation reservation, TrajectoryShape shape) {
        return new DecodeSequences(context, tokens, reservation, shape, new LoopVoice(fence, actor.getSelf()));
    }

    private LegRecords records() {
        return LegRecords.of(context);
    }

    private void refuse(Asker asker, WorkerEpoch sourceEpoch, LegRefusal reason) {
        context.metrics().legRefused("decode", reason);
        Fence fence = asker.fence(sourceEpoch, context.epoch(), NO_RESERVATION);
        tell(fence, new RequestProtocol.LegRefused(fence, Leg.DECODE, reason));
    }

    // ---- what becomes of the K/V ----

    private void promptComputed(DecodeLeg leg, Signal.PromptComputed computed) {
        if (leg.arrival() instanceof LocalPrompt prompt && prompt.computed()) {
            int firstIndex = leg.tokens().firstTokenIndex();
            tell(leg.fence(), new RequestProtocol.FirstTokens(leg.fence(), firstIndex, computed.firstTokens()));
            leg.kvVisible(computed.firstTokens(), firstIndex + 1);
        }
    }

    /** Called from inside the transfer's effects; acts on the leg that owns it. */
    private final class KvOwner implements IncomingKv.Owner {
        private final Fence fence;

        KvOwner(Fence fence) {
            this.fence = fence;
        }

        @Override
        public void published(PublicationHandle handle, Continuation continuation) {
            DecodeLeg leg = legs.get(fence);
            if (leg == null || !(leg.arrival() instanceof IncomingKv kv)) {
                throw new IllegalStateException("a transfer without its leg was published: " + fence);
            }
            // Decode reads what the directory holds, and nothing else (§0x06D).
            if (directory.consume(handle, fence.generation()) instanceof Lookup.Missing missing) {
                throw new IllegalStateException("published and not readable at once: " + missing.reason());
            }
            long publishedAtNanos = context.nowNanos();
            long stallNanos = kv.exposedStallNanos(publishedAtNanos);
            tell(fence, new RequestProtocol.KvPublished(fence, stallNanos));
            kv.countPublication(publishedAtNanos, stallNanos);
            leg.kvVisible(continuation.firstTokens(), continuation.nextTokenIndex());
            leg.report();
        }

        @Override
        public void aborted(AbortReason reason) {
            DecodeLeg leg = legs.get(fence);
            if (leg != null) {
                leg.fail("transfer_" + reason.cause() + (reason.detail().isEmpty() ? "" : ' ' + reason.detail()));
            }
        }

        @Override
        public void superseded(PublicationHandle handle) {
            DecodeLeg older = byTransfer(handle.transfer());
            if (older != null) {
                act(older, leg -> leg.end("superseded"));
            }
        }
    }

    // ---- routing ----

    /** The source waits to hear that nothing of the transfer is left here; nothing is, once the leg has ended. */
    private void sourceAborted(TransferProtocol.SourceAborted aborted) {
        ended.find(aborted.fence())
                .ifPresentOrElse(
                        late -> answerLate(aborted.fence(), late),
                        () -> incoming(aborted.fence(), "SourceAborted", kv -> kv.sourceAborted(aborted)));
    }

    /** A seal that comes again asks for an acknowledgement that was lost. */
    private void sourceSealed(TransferProtocol.SourceSealed sealed) {
        ended.find(sealed.fence())
                .ifPresentOrElse(
                        late -> answerLate(sealed.fence(), late),
                        () -> incoming(sealed.fence(), "SourceSealed", kv -> kv.sealed(sealed)));
    }

    private static void answerLate(Fence fence, Ended late) {
        if (late.source() != null) {
            late.source()
                    .tell(
                            late.published()
                                    ? new PrefillProtocol.PublicationAcknowledged(
                                            new TransferProtocol.PublicationAcknowledged(fence, fence.transferId()))
                                    : new PrefillProtocol.StagingReleased(new TransferProtocol.StagingReleased(fence)));
        }
    }

    /**
     * Without a reservation the fence says "whatever was reserved for this attempt": the request left before it heard which.
     * Every other field must still be the leg's own.
     */
    private void release(Fence fence, String cause) {
        if (!fence.reservation().equals(NO_RESERVATION)) {
            exact(fence, "ReleaseDecode", leg -> leg.end(cause));
            return;
        }
        DecodeLeg leg = byTransfer(fence.transferId());
        if (!fence.destinationEpoch().equals(context.epoch())
                || (leg != null && !leg.fence().sourceEpoch().equals(fence.sourceEpoch()))) {
            context.metrics().stale("decode", "ReleaseDecode");
            return;
        }
        releasedUnseen.add(fence.transferId());
        if (leg != null) {
            act(leg, reserved -> reserved.end(cause));
        }
    }

    private static Set<TransferId> remembering(int limit) {
        return Collections.newSetFromMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<TransferId, Boolean> eldest) {
                return size() > limit;
            }
        });
    }

    /** A request's message must carry the leg's own fence. */
    private void exact(Fence fence, String message, Consumer<DecodeLeg> action) {
        DecodeLeg leg = legs.get(fence);
        if (leg == null) {
            context.metrics().stale("decode", message);
            return;
        }
        act(leg, action);
    }

    /**
     * A source's message reaches the transfer of its fence; with a wrong fence, the transfer of the same request, whose
     * machine refuses it by the field that differs.
     */
    private void incoming(Fence fence, String message, Consumer<IncomingKv> action) {
        DecodeLeg leg = legs.get(fence);
        if (leg == null && ended.find(fence).isEmpty()) {
            leg = ofRequest(fence.request()).stream().findFirst().orElse(null);
        }
        if (leg == null || !(leg.arrival() instanceof IncomingKv kv)) {
            context.metrics().stale("decode", message);
            return;
        }
        act(leg, owner -> action.accept(kv));
    }

    private void ownIncoming(Fence fence, Consumer<IncomingKv> action) {
        own(fence, leg -> {
            if (leg.arrival() instanceof IncomingKv kv) {
                action.accept(kv);
            }
        });
    }

    /** The worker's own parts know no wrong fence; what comes after the end is late. */
    private void own(Fence fence, Consumer<DecodeLeg> action) {
        DecodeLeg leg = legs.get(fence);
        if (leg != null) {
            act(leg, action);
        }
    }

    private void act(DecodeLeg leg, Consumer<DecodeLeg> action) {
        action.accept(leg);
        if (leg.isOver() && legs.remove(leg.fence()) != null) {
            ended.add(
                    leg.fence(),
                    leg.arrival() instanceof IncomingKv kv
                            ? new Ended(kv.source(), kv.isPublished())
                            : new Ended(null, false));
            leg.close();
        }
    }

    private @Nullable DecodeLeg byTransfer(TransferId transfer) {
        return legs.values().stream()
                .filter(leg -> leg.transfer().equals(transfer))
                .findFirst()
                .orElse(null);
    }

    private List<DecodeLeg> ofRequest(RequestId request) {
        return legs.values().stream()
                .filter(leg -> leg.fence().request().equals(request))
                .toList();
    }

    private int choices() {
        return legs.values().stream().mapToInt(leg -> leg.tokens().choices()).sum();
    }

    private void tell(Fence fence, RequestProtocol.Command message) {
        context.gateway().tell(fence.request(), message);
    }

    /** Carries what the loop says into the actor's mailbox. */
    private record LoopVoice(Fence fence, ActorRef<Command> self) implements SequenceRun.Listener {
        @Override
        public void sampled(int choice, int index, int token) {
            self.tell(new Signal.TokenSampled(fence, choice, index, token));
        }

        @Override
        public void unsamplable(int choice, String reason) {
            self.tell(new Signal.Unsamplable(fence, reason));
        }

        @Override
        public void left(int choice) {
            self.tell(new Signal.SequenceLeft(fence, choice));
        }

        @Override
        public void failed(int choice, Throwable bug) {
            self.tell(new Signal.LoopBroke(fence, bug.toString()));
        }
    }
}
