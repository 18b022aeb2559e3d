package dev.baton.simulation.handoff;

import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.MachineHost;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.Continuation;
import dev.baton.transfer.destination.DestinationTransfer;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.Lookup;
import dev.baton.transfer.protocol.Terms;
import dev.baton.transfer.source.SourceTransfer;
import java.util.BitSet;
import java.util.List;

/** One attempt: both machines, and the shells around them. Truth about bytes is kept here, beside what the machines believe. */
final class Attempt {
    static final dev.baton.transfer.destination.Deadlines DESTINATION_DEADLINES =
            new dev.baton.transfer.destination.Deadlines(1_000, 4_000, 4_000, 1_000, 1_000);
    static final dev.baton.transfer.source.Deadlines SOURCE_DEADLINES =
            new dev.baton.transfer.source.Deadlines(4_000, 5_000, 2_000, 2, 1_500);
    private static final Continuation CONTINUATION = new Continuation(List.of(7), 1);

    final Terms terms;
    final String name;
    private final HandoffWorld world;
    final MachineHost<SourceTransfer.State, SourceTransfer.Event, SourceTransfer.Effect, SourceTransfer.Refusal> source;
    final MachineHost<
                    DestinationTransfer.State,
                    DestinationTransfer.Event,
                    DestinationTransfer.Effect,
                    DestinationTransfer.Refusal>
            destination;

    private final BitSet visible = new BitSet();
    private long stagingBytes;
    private boolean expecting;
    private List<Integer> blockIds = List.of();
    boolean sourceQuiescing;
    boolean destinationQuiescing;
    private boolean acknowledged;
    int pins;

    Attempt(HandoffWorld world, Terms terms, Machines machines) {
        this.world = world;
        this.terms = terms;
        this.name = "generation-" + terms.fence().generation();
        this.source = new MachineHost<>(
                machines.source(),
                SourceTransfer.announce(terms, SOURCE_DEADLINES, world.now()),
                (from, event, to) -> {},
                this::run,
                (reason, event) -> {});
        this.destination = new MachineHost<>(
                machines.destination(),
                DestinationTransfer.plan(
                        terms, terms.manifest().tensor().digest(), 16, DESTINATION_DEADLINES, world.now()),
                (from, event, to) -> {},
                this::run,
                (reason, event) -> {});
    }

    void begin() {
        tellSource(new SourceTransfer.Event.Began(world.now()));
        tell(new DestinationTransfer.Event.Began(world.now()));
        world.local(HandoffWorld.SOURCE, this, () -> layerReady(0));
    }

    /** Prefill: one layer after the other, then the first token. */
    private void layerReady(int layer) {
        if (layer < terms.plan().layers()) {
            tellSource(new SourceTransfer.Event.KvReady(
                    terms.fence(), layer, terms.plan().tokens().end(), world.now()));
            world.local(HandoffWorld.SOURCE, this, () -> layerReady(layer + 1));
        } else {
            tellSource(new SourceTransfer.Event.PrefillFinished(terms.fence(), CONTINUATION, world.now()));
        }
    }

    boolean sourceEnded() {
        return !(source.state() instanceof SourceTransfer.State.Live);
    }

    boolean destinationEnded() {
        return !(destination.state() instanceof DestinationTransfer.State.Live);
    }

    boolean published() {
        return destination.state() instanceof DestinationTransfer.State.Published;
    }

    Decision<SourceTransfer.State, SourceTransfer.Effect, SourceTransfer.Refusal> tellSource(
            SourceTransfer.Event event) {
        return source.handle(event);
    }

    Decision<DestinationTransfer.State, DestinationTransfer.Effect, DestinationTransfer.Refusal> tell(
            DestinationTransfer.Event event) {
        return destination.handle(event);
    }

    private static long checksum(int index) {
        return 1_000L + index;
    }

    /** The ledger has room: the chunk leaves, unless the machine no longer wants it. */
    void granted(ChunkSpec spec) {
        tellSource(new SourceTransfer.Event.CreditGranted(spec.index(), world.now()));
        if (source.state() instanceof SourceTransfer.State.Streaming) {
            tellSource(new SourceTransfer.Event.ChunkSent(spec.index(), checksum(spec.index()), world.now()));
            world.chunk(this, () -> arrived(spec));
        }
    }

    private void arrived(ChunkSpec spec) {
        if (!expecting) {
            return;
        }
        var decision = tell(new DestinationTransfer.Event.ChunkReceived(
                terms.fence(), spec.index(), spec.payloadBytes(), checksum(spec.index()), world.now()));
        if (decision instanceof Decision.Moved && !destinationQuiescing) {
            stagingBytes += spec.payloadBytes();
            world.copy(this, () -> copied(spec));
        }
    }

    private void copied(ChunkSpec spec) {
        world.blocks.written(name, blockIds);
        visible.set(spec.index());
        tell(new DestinationTransfer.Event.ChunkVisible(spec.index(), world.now()));
    }

    /** No offer on its way, and the far end's staging holds nothing. */
    boolean sourceIsQuiescent() {
        return !world.queue.any(i -> i.transfer().equals(name) && i.kind() == Queue.Kind.CHUNK) && stagingBytes == 0;
    }

    boolean destinationIsQuiescent() {
        return !copying();
    }

    private boolean copying() {
        return world.queue.any(i -> i.transfer().equals(name) && i.kind() == Queue.Kind.COPY);
    }

    void destinationCrashed() {
        stagingBytes = 0;
        expecting = false;
    }

    private void run(SourceTransfer.Effect effect) {
        switch (effect) {
            case SourceTransfer.Effect.PinBlocks _ -> pins++;
            case SourceTransfer.Effect.OfferChunk e -> world.offer(this, e.spec());
            case SourceTransfer.Effect.SendSeal e ->
                world.control(
                        HandoffWorld.DESTINATION,
                        this,
                        () -> tell(
                                new DestinationTransfer.Event.SourceSealed(e.fence(), e.key(), e.seal(), world.now())));
            case SourceTransfer.Effect.ReleaseCredits e -> world.credit.returned(e.payloadBytes());
            case SourceTransfer.Effect.ReleaseBlocks _ -> {
                pins--;
                world.publication.sourceReleased(
                        acknowledged || !(source.state() instanceof SourceTransfer.State.Released));
            }
            case SourceTransfer.Effect.ReportRefusal _, SourceTransfer.Effect.RecordTerminalFailure _ -> {}
            case SourceTransfer.Effect.TellDestinationAborted e ->
                world.control(
                        HandoffWorld.DESTINATION,
                        this,
                        () -> tell(new DestinationTransfer.Event.SourceAborted(e.fence(), e.reason(), world.now())));
            case SourceTransfer.Effect.CancelOutstandingChunks _ -> world.withdrawOffers(this);
            case SourceTransfer.Effect.QuiesceTransport _ -> sourceQuiescing = !world.deaf();
            case SourceTransfer.Effect.FenceEpoch _ ->
                world.queue.dropIf(i -> i.transfer().equals(name) && i.kind() == Queue.Kind.CHUNK);
        }
    }

    private void run(DestinationTransfer.Effect effect) {
        switch (effect) {
            case DestinationTransfer.Effect.ReserveBlocks e ->
                world.local(HandoffWorld.DESTINATION, this, () -> reserve(e.blockCount()));
            case DestinationTransfer.Effect.ExpectChunks e -> {
                expecting = true;
                blockIds = e.blockIds();
            }
            case DestinationTransfer.Effect.AnnounceReservation e ->
                world.control(
                        HandoffWorld.SOURCE,
                        this,
                        () -> tellSource(new SourceTransfer.Event.DestinationReserved(e.fence(), world.now())));
            case DestinationTransfer.Effect.ReturnCredit e -> {
                world.credit.returnedByDestination(visible.get(e.index()), e.index());
                stagingBytes -= e.payloadBytes();
                world.control(
                        HandoffWorld.SOURCE,
                        this,
                        () -> tellSource(new SourceTransfer.Event.CreditReturned(e.fence(), e.index(), world.now())));
            }
            case DestinationTransfer.Effect.Publish e ->
                world.local(HandoffWorld.DESTINATION, this, () -> answered(world.publish(this, e.blockIds())));
            case DestinationTransfer.Effect.WithdrawPublication _ ->
                world.local(HandoffWorld.DESTINATION, this, () -> answered(world.withdraw(this)));
            case DestinationTransfer.Effect.AdmitDecode e -> admitted(world.consume(e.handle()), e);
            case DestinationTransfer.Effect.AcknowledgeSource e ->
                world.control(HandoffWorld.SOURCE, this, () -> {
                    acknowledged = true;
                    tellSource(new SourceTransfer.Event.PublicationAcknowledged(e.fence(), e.transfer(), world.now()));
                });
            case DestinationTransfer.Effect.TellSourceAborted e ->
                world.control(
                        HandoffWorld.SOURCE,
                        this,
                        () -> tellSource(
                                new SourceTransfer.Event.DestinationAborted(e.fence(), e.reason(), world.now())));
            case DestinationTransfer.Effect.CancelOutstandingChunks _ -> expecting = false;
            case DestinationTransfer.Effect.QuiesceTransport _ -> destinationQuiescing = !world.deaf();
            case DestinationTransfer.Effect.FenceEpoch _ ->
                world.queue.dropIf(i -> i.transfer().equals(name) && i.kind() == Queue.Kind.COPY);
            case DestinationTransfer.Effect.ReleaseStagingCredits e -> stagingBytes -= e.payloadBytes();
            case DestinationTransfer.Effect.ReleaseBlocks e -> world.blocks.released(name, e.blockIds(), copying());
            case DestinationTransfer.Effect.ReleaseSuperseded _,
                    DestinationTransfer.Effect.ReportRefusal _,
                    DestinationTransfer.Effect.RecordTerminalFailure _ -> {}
        }
    }

    private void reserve(long blockCount) {
        List<Integer> granted = world.blocks.reserve(name, blockCount);
        tell(
                granted.isEmpty()
                        ? new DestinationTransfer.Event.ReservationRefused(world.now())
                        : new DestinationTransfer.Event.BlocksReserved(granted, world.now()));
    }

    private void answered(DirectoryAnswer answer) {
        tell(new DestinationTransfer.Event.DirectoryAnswered(answer, world.now()));
    }

    int visibleChunks() {
        return visible.cardinality();
    }

    /** Decode owns what it found; what was superseded before it came is released by it unread. */
    private void admitted(Lookup lookup, DestinationTransfer.Effect.AdmitDecode e) {
        String decode = BlocksConserved.DECODE + ' ' + name;
        world.blocks.moved(name, decode, blockIds);
        if (lookup instanceof Lookup.Found) {
            world.publication.admitted(e.handle().transfer(), e.handle().generation());
        }
        world.local(HandoffWorld.DESTINATION, this, () -> world.blocks.released(decode, blockIds, copying()));
    }

    long stagingBytes() {
        return stagingBytes;
    }
}
