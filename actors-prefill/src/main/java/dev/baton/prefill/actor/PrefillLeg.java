package dev.baton.prefill.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.Continuation;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.mls.actor.LegRecords;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.PromptRun;
import dev.baton.scheduler.mls.actor.QueuedHost;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.request.Leg;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.SendChunk;
import dev.baton.transfer.link.SentChunk;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import dev.baton.transfer.protocol.TransferProtocol;
import dev.baton.transfer.source.Deadlines;
import dev.baton.transfer.source.SourceTransfer;
import dev.baton.transfer.source.SourceTransfer.Effect;
import dev.baton.transfer.source.SourceTransfer.Event;
import dev.baton.transfer.source.SourceTransfer.Refusal;
import dev.baton.transfer.source.SourceTransfer.State;
import java.util.BitSet;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * One prefill leg inside the actor: runs the effects of its {@link SourceTransfer} and feeds it what loop, link and destination
 * say. Blocks go back when the machine releases them and the loop has let go of them.
 */
final class PrefillLeg {
    private static final String MACHINE = "transfer-source";

    private final WorkerContext context;
    private final Terms terms;
    private final Fence fence;
    private final LegTokens tokens;
    private final KvReservation reservation;
    private final int[] blocks;
    private final ChunkOutlet outlet;
    private final ActorRef<DecodeProtocol.Command> destination;
    private final ActorRef<PrefillProtocol.Command> self;
    private final LegRecords records;
    private final QueuedHost<State, Event, Effect, Refusal> host;
    private final long workId;
    private final long acceptedAtNanos;
    private long firstLayerAtNanos;
    private long computedAtNanos;
    private long wireBytes;
    private final BitSet sent = new BitSet();
    private final BitSet visibleEarly = new BitSet();
    private boolean removalAsked;
    private boolean leftLoop;
    private boolean quiesceAsked;
    private boolean linkQuiesced;
    private boolean farEndQuiesced;
    private boolean blocksReleasable;
    private boolean blocksReleased;
    private boolean requestKnows;
    private String cancelCause = "";
    private long quiesceAskedAtNanos;

    PrefillLeg(
            WorkerContext context,
            PrefillProtocol.StartPrefill start,
            LegTokens tokens,
            KvReservation reservation,
            ChunkOutlet outlet,
            ActorRef<PrefillProtocol.Command> self) {
        this.context = context;
        this.terms = Terms.of(start.manifest());
        this.fence = terms.fence();
        this.tokens = tokens;
        this.reservation = reservation;
        this.blocks = reservation.blocks().stream().mapToInt(Integer::intValue).toArray();
        this.outlet = outlet;
        this.destination = start.destination();
        this.self = self;
        this.workId = context.loop().newWorkId();
        this.acceptedAtNanos = context.nowNanos();
        this.records = LegRecords.of(context);
        this.host = new QueuedHost<>(
                SourceTransfer::decide,
                SourceTransfer.announce(terms, deadlines(context), acceptedAtNanos),
                this::record,
                this::run,
                (reason, event) -> context.metrics().refused(MACHINE, reason));
    }

    private static Deadlines deadlines(WorkerContext context) {
        long transferNanos = context.config().transferDeadline().toNanos();
        long quiesceNanos = context.config().quiesceDeadline().toNanos();
        return new Deadlines(
                transferNanos,
                transferNanos,
                Math.max(1, transferNanos / 8),
                4,
                2 * quiesceNanos + context.config().drainDeadline().toNanos());
    }

    /** @return false when the loop takes no more work; nothing is held then */
    boolean begin() {
        PromptRun run = new PromptRun(
                workId,
                tokens,
                reservation.blocks(),
                context.config().blockTokens(),
                context.vocabulary(),
                context.memory(),
                new LoopVoice(fence, self));
        if (!context.loop().add(run)) {
            context.pool().release(reservation.id(), reservation.blocks());
            return false;
        }
        host.submit(new Event.Began(acceptedAtNanos));
        host.submit(new Event.DestinationReserved(fence, acceptedAtNanos));
        return true;
    }

    Fence fence() {
        return fence;
    }

    TransferId transfer() {
        return terms.transfer();
    }

    ChunkOutlet outlet() {
        return outlet;
    }

    boolean isOver() {
        return isTerminal() && blocksReleased;
    }

    private boolean isTerminal() {
        return host.state() instanceof State.Released || host.state() instanceof State.Aborted;
    }

    // ---- what others say ----

    void layerReady(Signal.LayerReady signal) {
        if (firstLayerAtNanos == 0) {
            firstLayerAtNanos = signal.atNanos();
        }
        host.submit(new Event.KvReady(fence, signal.layer(), signal.tokensReady(), signal.atNanos()));
    }

    void firstTokens(Signal.FirstTokensSampled signal) {
        if (isTerminal() || host.state() instanceof State.Aborting) {
            return;
        }
        computedAtNanos = signal.atNanos();
        context.metrics()
                .prefilled(tokens.count(), firstLayerAtNanos - acceptedAtNanos, computedAtNanos - firstLayerAtNanos);
        tell(new RequestProtocol.FirstTokens(fence, tokens.firstTokenIndex(), signal.tokens()));
        destination.tell(new DecodeProtocol.PrefillComputed(fence));
        host.submit(new Event.PrefillFinished(
                fence, new Continuation(signal.tokens(), tokens.firstTokenIndex() + 1), signal.atNanos()));
    }

    void cancelled(String cause, Fence claimed) {
        requestKnows = requestKnows || claimed.equals(fence);
        cancelCause = cause;
        host.submit(new Event.Cancelled(claimed, context.nowNanos()));
    }

    void failed(String cause) {
        if (!isTerminal()) {
            requestKnows = true;
            cancelCause = cause;
            tell(new RequestProtocol.LegFailed(fence, Leg.PREFILL, cause));
            host.submit(new Event.Cancelled(fence, context.nowNanos()));
        }
    }

    void leftLoop() {
        leftLoop = true;
        releaseBlocks();
        checkQuiescent();
    }

    void chunkLeft(SentChunk chunk) {
        wireBytes += chunk.wireBytes();
        int index = chunk.chunkIndex();
        host.submit(new Event.CreditGranted(index, chunk.atNanos()));
        host.submit(new Event.ChunkSent(index, Integer.toUnsignedLong(chunk.crc()), chunk.atNanos()));
        sent.set(index);
        if (visibleEarly.get(index)) {
            host.submit(new Event.CreditReturned(fence, index, context.nowNanos()));
        }
    }

    /** A chunk that did not leave never will on this link; unless we withdrew it, the transfer cannot be completed. */
    void chunkLost(LinkFailure failure) {
        if (failure.kind() != LinkFailure.Kind.CANCELLED) {
            peerLost();
        }
    }

    void chunksVisible(TransferProtocol.ChunksVisible message) {
        if (!message.fence().equals(fence)) {
            host.submit(
                    new Event.CreditReturned(message.fence(), message.indexes().getFirst(), context.nowNanos()));
            return;
        }
        for (int index : message.indexes()) {
            outlet.creditReturned(terms.transfer(), index)
                    .ifPresent(refusal -> context.metrics().refused("credit", refusal));
            if (sent.get(index)) {
                host.submit(new Event.CreditReturned(fence, index, context.nowNanos()));
            } else {
                // The far end may be faster than the report that the chunk left.
                visibleEarly.set(index);
            }
        }
    }

    void acknowledged(TransferProtocol.PublicationAcknowledged message) {
        host.submit(new Event.PublicationAcknowledged(message.fence(), message.transfer(), context.nowNanos()));
    }

    void destinationAborted(TransferProtocol.DestinationAborted message) {
        host.submit(new Event.DestinationAborted(message.fence(), message.reason(), context.nowNanos()));
    }

    void stagingReleased(Fence claimed) {
        if (claimed.equals(fence)) {
            farEndQuiesced = true;
            checkQuiescent();
        }
    }

    /** The destination worker is gone, or the link to it failed: nothing there is owned by anyone any more. */
    void peerLost() {
        farEndQuiesced = true;
        host.submit(new Event.PeerLost(fence.destinationEpoch(), context.nowNanos()));
        checkQuiescent();
    }

    void linkQuiesced() {
        linkQuiesced = true;
        checkQuiescent();
    }

    /** @return whether the link must be fenced, because the far end does not answer an abort */
    boolean ticked(long nowNanos) {
        if (host.state() instanceof State.Live live && nowNanos - live.deadlineNanos() >= 0) {
            host.submit(new Event.DeadlinePassed(nowNanos));
        }
        return quiesceAsked
                && linkQuiesced
                && !farEndQuiesced
                && nowNanos - quiesceAskedAtNanos
                        > context.config().quiesceDeadline().toNanos();
    }

    /** Everything that can still be read back about the leg; called once, when it is over. */
    void close() {
        outlet.settle(terms.transfer());
        tell(new RequestProtocol.TransitionsReported(records.flush()));
    }

    // ---- effects ----

    private void run(Effect effect) {
        switch (effect) {
            case Effect.PinBlocks pin -> {
                // The reservation is the pin: its blocks are nobody else's until they are released.
            }
            case Effect.OfferChunk offer ->
                outlet.offer(new SendChunk(
                        fence, terms.transfer(), terms.plan(), offer.spec().index(), context.region(), blocks));
            case Effect.SendSeal seal ->
                destination.tell(new DecodeProtocol.SourceSealed(
                        new TransferProtocol.SourceSealed(seal.fence(), seal.key(), seal.seal())));
            case Effect.ReleaseCredits credits -> {
                // Per chunk the ledger is told by index when the message arrives; what an abort leaves goes back at
                // once.
                if (isTerminal()) {
                    outlet.settle(terms.transfer());
                }
            }
            case Effect.ReleaseBlocks release -> {
                blocksReleasable = true;
                stopLoop();
                releaseBlocks();
            }
            case Effect.ReportRefusal report -> context.metrics().refused(MACHINE, report.reason());
            case Effect.TellDestinationAborted aborted ->
                destination.tell(new DecodeProtocol.SourceAborted(
                        new TransferProtocol.SourceAborted(aborted.fence(), aborted.reason())));
            case Effect.CancelOutstandingChunks cancel -> {
                // The link withdraws them with QuiesceTransport, which always follows.
            }
            case Effect.QuiesceTransport quiesce -> {
                quiesceAsked = true;
                quiesceAskedAtNanos = context.nowNanos();
                stopLoop();
                outlet.quiesce(fence);
            }
            case Effect.FenceEpoch epoch ->
                context.fenceWorker().accept("source transfer " + terms.transfer() + " could not be quiesced");
            case Effect.RecordTerminalFailure failure -> aborted(failure.reason());
        }
    }

    private void aborted(AbortReason reason) {
        context.metrics().transferAborted(reason.cause().name());
        if (!requestKnows && reason.cause() != AbortCause.CANCELLED) {
            requestKnows = true;
            tell(new RequestProtocol.LegFailed(
                    fence,
                    Leg.PREFILL,
                    "transfer_" + reason.cause() + (reason.detail().isEmpty() ? "" : ' ' + reason.detail())));
        }
    }

    private void stopLoop() {
        if (!leftLoop && !removalAsked) {
            removalAsked = true;
            context.loop().remove(workId);
        }
    }

    private void releaseBlocks() {
        if (blocksReleasable && leftLoop && !blocksReleased) {
            blocksReleased = true;
            context.pool().release(reservation.id(), reservation.blocks());
        }
    }

    /** Nobody touches the blocks, here or at the far end, whose answer stands for its staging. */
    private void checkQuiescent() {
        if (quiesceAsked && leftLoop && linkQuiesced && farEndQuiesced && host.state() instanceof State.Aborting) {
            host.submit(new Event.TransportQuiesced(context.nowNanos()));
        }
    }

    private void tell(RequestProtocol.Command message) {
        context.gateway().tell(fence.request(), message);
    }

    private void record(State from, Event event, State to) {
        switch (event) {
            case Event.KvReady ready ->
                records.addBulk(
                        MACHINE, from, event, to, "layer=" + ready.layer() + " tokens=" + ready.tokensReadyUpTo());
            case Event.CreditGranted granted -> records.addBulk(MACHINE, from, event, to, "chunk=" + granted.index());
            case Event.ChunkSent sent -> records.addBulk(MACHINE, from, event, to, "chunk=" + sent.index());
            case Event.CreditReturned returned ->
                records.addBulk(MACHINE, from, event, to, "chunk=" + returned.index());
            case Event.Began began ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "promptTokens=" + tokens.count() + " blocks="
                                + reservation.blocks().size() + " chunks="
                                + terms.plan().count());
            case Event.PrefillFinished finished ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "queuedNanos=" + (firstLayerAtNanos - acceptedAtNanos) + " computedNanos="
                                + (finished.atNanos() - firstLayerAtNanos));
            case Event.PublicationAcknowledged acknowledged ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "logicalKvBytes=" + terms.manifest().logicalKvBytes() + " payloadBytes="
                                + terms.plan().payloadBytes() + " wireBytes=" + wireBytes + " sealToAckNanos="
                                + (acknowledged.atNanos() - computedAtNanos));
            case Event.DestinationReserved reserved -> records.add(MACHINE, from, event, to, "");
            case Event.DestinationAborted aborted ->
                records.add(
                        MACHINE, from, event, to, "cause=" + aborted.reason().cause());
            case Event.Cancelled cancelled -> records.add(MACHINE, from, event, to, "cause=" + cancelCause);
            case Event.PeerLost lost -> records.add(MACHINE, from, event, to, "");
            case Event.TransportQuiesced quiesced -> records.add(MACHINE, from, event, to, "");
            case Event.EpochFenced fenced -> records.add(MACHINE, from, event, to, "");
            case Event.DeadlinePassed passed -> records.add(MACHINE, from, event, to, "");
        }
    }

    /** Carries what the loop says into the actor's mailbox. */
    private record LoopVoice(Fence fence, ActorRef<PrefillProtocol.Command> self) implements PromptRun.Listener {
        @Override
        public void layerReady(int layer, int tokensReady) {
            self.tell(new Signal.LayerReady(fence, layer, tokensReady, System.nanoTime()));
        }

        @Override
        public void firstTokens(List<Integer> tokens) {
            self.tell(new Signal.FirstTokensSampled(fence, tokens, System.nanoTime()));
        }

        @Override
        public void unsamplable(String reason) {
            self.tell(new Signal.Unsamplable(fence, reason));
        }

        @Override
        public void ended() {
            self.tell(new Signal.PromptLeftLoop(fence));
        }

        @Override
        public void failed(Throwable bug) {
            self.tell(new Signal.LoopBroke(fence, bug.toString()));
        }
    }
}
