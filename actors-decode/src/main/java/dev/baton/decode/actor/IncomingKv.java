package dev.baton.decode.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.mls.actor.LegRecords;
import dev.baton.scheduler.mls.actor.QueuedHost;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.destination.Deadlines;
import dev.baton.transfer.destination.DestinationTransfer;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.directory.PublicationDirectory;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.link.ChunkListener;
import dev.baton.transfer.link.ExpectedTransfer;
import dev.baton.transfer.link.LinkRefusal;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import dev.baton.transfer.protocol.TransferProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The transfer that brings a leg's K/V: runs the effects of its {@code DestinationTransfer} on link, directory, pool and
 * source, and tells its owner when the K/V is published or never will be.
 */
final class IncomingKv implements KvArrival {
    private static final String MACHINE = "transfer-destination";

    /** What becomes of the transfer; called once, with one of the two. */
    interface Owner {
        void published(PublicationHandle handle, Continuation continuation);

        void aborted(AbortReason reason);

        /** Another leg's publication was replaced by this one. */
        void superseded(PublicationHandle handle);
    }

    private final WorkerContext context;
    private final Terms terms;
    private final Fence fence;
    private final KvReservation reservation;
    private final ActorRef<PrefillProtocol.Command> source;
    private final PublicationDirectory directory;
    private final ActorRef<DecodeProtocol.Command> self;
    private final LegRecords records;
    private final Owner owner;
    private final QueuedHost<State, Event, Effect, Refusal> host;
    private final long beganAtNanos;
    private final List<Integer> visible = new ArrayList<>();
    private long visibleBytes;
    private long prefillComputedAtNanos;
    private long reservedAtNanos;
    private boolean expected;
    private boolean announced;

    IncomingKv(
            WorkerContext context,
            HandoffManifest manifest,
            KvReservation reservation,
            ActorRef<PrefillProtocol.Command> source,
            PublicationDirectory directory,
            ActorRef<DecodeProtocol.Command> self,
            LegRecords records,
            Owner owner) {
        this.context = context;
        this.terms = Terms.of(manifest);
        this.fence = terms.fence();
        this.reservation = reservation;
        this.source = source;
        this.directory = directory;
        this.self = self;
        this.records = records;
        this.owner = owner;
        this.beganAtNanos = context.nowNanos();
        this.host = new QueuedHost<>(
                DestinationTransfer::decide,
                DestinationTransfer.plan(
                        terms, context.abi().digest(), growthTokens(), deadlines(context), beganAtNanos),
                this::record,
                this::run,
                (reason, event) -> context.metrics().refused(MACHINE, reason));
    }

    private static Deadlines deadlines(WorkerContext context) {
        long transferNanos = context.config().transferDeadline().toNanos();
        long quiesceNanos = context.config().quiesceDeadline().toNanos();
        return new Deadlines(quiesceNanos, transferNanos, transferNanos, quiesceNanos, 2 * quiesceNanos);
    }

    /** The machine counts one trajectory; all choices' blocks beyond the prompt are growth to it. */
    private long growthTokens() {
        long slots =
                (long) reservation.blocks().size() * terms.manifest().tensor().blockTokens();
        return slots - terms.manifest().request().promptTokens();
    }

    @Override
    public boolean begin() {
        host.submit(new Event.Began(beganAtNanos));
        return true;
    }

    @Override
    public void abandon(String cause) {
        if (!isOver()) {
            host.submit(new Event.Cancelled(fence, context.nowNanos()));
        }
    }

    @Override
    public void ticked(long nowNanos) {
        if (host.state() instanceof State.Live live && nowNanos - live.deadlineNanos() >= 0) {
            host.submit(new Event.DeadlinePassed(nowNanos));
        }
    }

    @Override
    public boolean isOver() {
        return host.state() instanceof State.Published
                || (host.state() instanceof State.Aborted aborted && !aborted.reserving());
    }

    /** Behind the sum of the machine's own deadlines, which are the ones meant to pass. */
    @Override
    public long deadlineNanos() {
        return beganAtNanos
                + 3 * context.config().transferDeadline().toNanos()
                + 8 * context.config().quiesceDeadline().toNanos();
    }

    ActorRef<PrefillProtocol.Command> source() {
        return source;
    }

    boolean isPublished() {
        return host.state() instanceof State.Published;
    }

    void countPublication(long publishedAtNanos, long stallNanos) {
        context.metrics()
                .published(
                        terms.manifest().logicalKvBytes(),
                        terms.plan().payloadBytes(),
                        publishedAtNanos - reservedAtNanos,
                        stallNanos);
    }

    // ---- what others say ----

    void chunksExpected() {
        expected = true;
        announce();
    }

    /** Asked again: the answer may have been lost. */
    void announceAgain() {
        announce();
    }

    void chunkArrived(Signal.ChunkArrived chunk) {
        host.submit(new Event.ChunkReceived(
                fence, chunk.index(), chunk.payloadBytes(), Integer.toUnsignedLong(chunk.crc()), chunk.atNanos()));
        // Host memory is what the device reads; an accelerator's copy would come between the two events.
        host.submit(new Event.ChunkVisible(chunk.index(), context.nowNanos()));
    }

    void chunkRepeated(Signal.ChunkRepeated chunk) {
        // The machine compares the checksum with the first arrival's: equal is idempotent, other bytes are corruption.
        long payloadBytes = terms.plan().chunk(chunk.index()).payloadBytes();
        host.submit(new Event.ChunkReceived(
                fence, chunk.index(), payloadBytes, Integer.toUnsignedLong(chunk.crc()), context.nowNanos()));
    }

    void prefillComputed() {
        prefillComputedAtNanos = context.nowNanos();
    }

    void sealed(TransferProtocol.SourceSealed message) {
        host.submit(new Event.SourceSealed(message.fence(), message.key(), message.seal(), context.nowNanos()));
    }

    void sourceAborted(TransferProtocol.SourceAborted message) {
        host.submit(new Event.SourceAborted(message.fence(), message.reason(), context.nowNanos()));
    }

    void peerLost(WorkerEpoch epoch) {
        host.submit(new Event.PeerLost(epoch, context.nowNanos()));
    }

    void linkQuiesced() {
        host.submit(new Event.TransportQuiesced(context.nowNanos()));
    }

    /** Credits that came together go back in one message. */
    void sendCredits() {
        if (!visible.isEmpty()) {
            source.tell(new PrefillProtocol.ChunksVisible(
                    new TransferProtocol.ChunksVisible(fence, visible, visibleBytes)));
            visible.clear();
            visibleBytes = 0;
        }
    }

    /** §0x0F: publication end minus the moment when decode was ready for it, not below 0. */
    long exposedStallNanos(long publishedAtNanos) {
        long readyAtNanos = prefillComputedAtNanos == 0 ? publishedAtNanos : prefillComputedAtNanos;
        return Math.max(0, publishedAtNanos - Math.max(readyAtNanos, reservedAtNanos));
    }

    // ---- effects ----

    private void run(Effect effect) {
        switch (effect) {
            // The reservation came first, because its id is in the fence that the manifest freezes.
            case Effect.ReserveBlocks reserve ->
                host.submit(new Event.BlocksReserved(reservation.blocks(), context.nowNanos()));
            case Effect.ExpectChunks expect -> expect(expect);
            case Effect.AnnounceReservation announce -> {
                reservedAtNanos = context.nowNanos();
                announced = true;
                announce();
            }
            case Effect.ReturnCredit credit -> {
                if (visible.isEmpty()) {
                    self.tell(new Signal.CreditsDue(fence));
                }
                visible.add(credit.index());
                visibleBytes += credit.payloadBytes();
            }
            case Effect.Publish publish ->
                host.submit(new Event.DirectoryAnswered(
                        directory.publishIfGenerationCurrent(
                                fence.request(),
                                fence.generation(),
                                publish.transfer(),
                                publish.blockIds(),
                                context.nowNanos()
                                        + context.config().quiesceDeadline().toNanos()),
                        context.nowNanos()));
            case Effect.AdmitDecode admit -> owner.published(admit.handle(), admit.continuation());
            case Effect.ReleaseSuperseded release -> owner.superseded(release.superseded());
            case Effect.AcknowledgeSource acknowledge -> {
                sendCredits();
                // Every chunk is in its place and none is written twice: the link has nothing left to know of it.
                var _ = context.dataPlane().forget(terms.transfer());
                source.tell(new PrefillProtocol.PublicationAcknowledged(
                        new TransferProtocol.PublicationAcknowledged(acknowledge.fence(), acknowledge.transfer())));
            }
            case Effect.ReportRefusal report -> context.metrics().refused(MACHINE, report.reason());
            case Effect.TellSourceAborted tell ->
                source.tell(new PrefillProtocol.DestinationAborted(
                        new TransferProtocol.DestinationAborted(tell.fence(), tell.reason())));
            case Effect.WithdrawPublication withdraw ->
                host.submit(new Event.DirectoryAnswered(
                        directory.withdraw(fence.request(), withdraw.transfer()), context.nowNanos()));
            case Effect.CancelOutstandingChunks cancel -> {
                // The link drops them with QuiesceTransport, which always follows.
            }
            case Effect.QuiesceTransport quiesce ->
                context.dataPlane()
                        .forget(terms.transfer())
                        .whenComplete((done, failure) -> self.tell(new Signal.LinkQuiesced(fence)));
            case Effect.FenceEpoch epoch ->
                context.fenceWorker().accept("transfer " + terms.transfer() + " could not be quiesced");
            case Effect.ReleaseStagingCredits release ->
                source.tell(new PrefillProtocol.StagingReleased(new TransferProtocol.StagingReleased(fence)));
            case Effect.ReleaseBlocks release -> context.pool().release(reservation.id(), release.blockIds());
            case Effect.RecordTerminalFailure failure -> {
                context.metrics().transferAborted(failure.reason().cause().name());
                owner.aborted(failure.reason());
            }
        }
    }

    private void expect(Effect.ExpectChunks expect) {
        int promptBlocks =
                terms.manifest().tensor().blocksFor(terms.manifest().request().promptTokens());
        int[] blocks = expect.blockIds().stream()
                .limit(promptBlocks)
                .mapToInt(Integer::intValue)
                .toArray();
        context.dataPlane()
                .expect(
                        new ExpectedTransfer(terms.transfer(), fence, expect.plan(), context.region(), blocks),
                        new LinkVoice(fence, self))
                .whenComplete((done, failure) ->
                        self.tell(new Signal.ChunksExpected(fence, failure == null ? null : message(failure))));
    }

    private static String message(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return String.valueOf(cause.getMessage());
    }

    /** A chunk of a transfer that the link does not know yet would be refused: so both must have happened. */
    private void announce() {
        if (expected && announced) {
            context.gateway()
                    .tell(
                            fence.request(),
                            new RequestProtocol.DecodeReserved(
                                    fence, terms.manifest(), context.dataPlane().endpoint()));
        }
    }

    private void record(State from, Event event, State to) {
        switch (event) {
            case Event.ChunkReceived chunk ->
                records.addBulk(
                        MACHINE, from, event, to, "chunk=" + chunk.index() + " payloadBytes=" + chunk.payloadBytes());
            case Event.ChunkVisible chunk -> records.addBulk(MACHINE, from, event, to, "chunk=" + chunk.index());
            case Event.BlocksReserved reserved ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "blocks=" + reserved.blockIds().size() + " reservation=" + reservation.id());
            case Event.SourceSealed sealed ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "chunks=" + sealed.seal().checksums().size());
            case Event.DirectoryAnswered answered ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "answer=" + answered.answer().getClass().getSimpleName() + " logicalKvBytes="
                                + terms.manifest().logicalKvBytes() + " payloadBytes="
                                + terms.plan().payloadBytes() + " sinceReservedNanos="
                                + (answered.atNanos() - reservedAtNanos) + " exposedStallNanos="
                                + exposedStallNanos(answered.atNanos()));
            case Event.SourceAborted aborted ->
                records.add(
                        MACHINE, from, event, to, "cause=" + aborted.reason().cause());
            case Event.Began began ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "promptTokens=" + terms.manifest().request().promptTokens() + " chunks="
                                + terms.plan().count());
            case Event.ReservationRefused refused -> records.add(MACHINE, from, event, to, "");
            case Event.CopyFailed failed -> records.add(MACHINE, from, event, to, "chunk=" + failed.index());
            case Event.Cancelled cancelled -> records.add(MACHINE, from, event, to, "");
            case Event.PeerLost lost -> records.add(MACHINE, from, event, to, "epoch=" + lost.sourceEpoch());
            case Event.TransportQuiesced quiesced -> records.add(MACHINE, from, event, to, "");
            case Event.EpochFenced fenced -> records.add(MACHINE, from, event, to, "");
            case Event.DeadlinePassed passed -> records.add(MACHINE, from, event, to, "");
        }
    }

    /** Carries what the link says into the actor's mailbox. */
    private record LinkVoice(Fence fence, ActorRef<DecodeProtocol.Command> self) implements ChunkListener {
        @Override
        public void received(TransferId transfer, int chunkIndex, long payloadBytes, int crc) {
            self.tell(new Signal.ChunkArrived(fence, chunkIndex, payloadBytes, crc, System.nanoTime()));
        }

        @Override
        public void duplicate(TransferId transfer, int chunkIndex, int crc, boolean sameBytes) {
            self.tell(new Signal.ChunkRepeated(fence, chunkIndex, crc, sameBytes));
        }

        @Override
        public void refused(TransferId transfer, int chunkIndex, LinkRefusal reason) {
            self.tell(new Signal.ChunkRefused(fence, chunkIndex, reason));
        }
    }
}
