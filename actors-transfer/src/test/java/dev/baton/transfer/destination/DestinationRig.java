package dev.baton.transfer.destination;

import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CHUNK_BYTES;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.MachineHost;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TransferKey;
import dev.baton.transfer.Handoffs;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.protocol.Terms;
import java.util.ArrayList;
import java.util.List;

/** The destination machine under its host; keeps the books that a worker would keep. */
final class DestinationRig {
    static final Deadlines DEADLINES = new Deadlines(100, 200, 300, 400, 500);
    static final List<Integer> BLOCKS = List.of(40, 41, 42);
    static final PublicationHandle HANDLE =
            new PublicationHandle(TERMS.fence().request(), TERMS.fence().generation(), TERMS.transfer(), 1);

    final List<Effect> effects = new ArrayList<>();
    final List<Refusal> refusals = new ArrayList<>();
    long reservedBlocks;
    long stagingBytes;
    long now = 1_000;
    private final MachineHost<State, Event, Effect, Refusal> host;

    DestinationRig(State initial) {
        host = new MachineHost<>(
                DestinationTransfer::decide,
                initial,
                (from, event, to) -> {},
                this::run,
                (reason, event) -> refusals.add(reason));
    }

    static DestinationRig planned() {
        return new DestinationRig(DestinationTransfer.plan(TERMS, Handoffs.ABI.digest(), 16, DEADLINES, 1_000));
    }

    /** As planned, but both ends believe in another chunk plan. */
    static DestinationRig planned(Terms terms) {
        return new DestinationRig(DestinationTransfer.plan(terms, Handoffs.ABI.digest(), 16, DEADLINES, 1_000));
    }

    static DestinationRig begun() {
        DestinationRig rig = planned();
        rig.tell(new Event.Began(rig.now));
        return rig;
    }

    static DestinationRig reserved() {
        DestinationRig rig = begun();
        rig.reserve();
        return rig;
    }

    /** Chunk 0 visible, chunk 1 received, nothing else. */
    static DestinationRig transferring() {
        DestinationRig rig = reserved();
        rig.receive(0);
        rig.visible(0);
        rig.receive(1);
        return rig;
    }

    static DestinationRig validated() {
        DestinationRig rig = reserved();
        rig.receiveAll();
        rig.visibleAll();
        rig.seal(Handoffs.seal());
        return rig;
    }

    static DestinationRig published() {
        DestinationRig rig = validated();
        rig.answer(new DirectoryAnswer.Published(HANDLE));
        return rig;
    }

    static DestinationRig aborting() {
        DestinationRig rig = transferring();
        rig.cancel();
        return rig;
    }

    static DestinationRig aborted() {
        DestinationRig rig = aborting();
        rig.tell(new Event.TransportQuiesced(rig.now));
        return rig;
    }

    private void run(Effect effect) {
        effects.add(effect);
        if (effect instanceof Effect.ReturnCredit credit) {
            stagingBytes -= credit.payloadBytes();
        } else if (effect instanceof Effect.ReleaseStagingCredits released) {
            stagingBytes -= released.payloadBytes();
        } else if (effect instanceof Effect.ReleaseBlocks released) {
            reservedBlocks -= released.blockIds().size();
        } else if (effect instanceof Effect.ReportRefusal refusal) {
            refusals.add(refusal.reason());
        }
    }

    Decision<State, Effect, Refusal> tell(Event event) {
        return host.handle(event);
    }

    State state() {
        return host.state();
    }

    void reserve() {
        reservedBlocks += BLOCKS.size();
        tell(new Event.BlocksReserved(BLOCKS, now));
    }

    Decision<State, Effect, Refusal> receive(int index) {
        stagingBytes += CHUNK_BYTES;
        return receive(TERMS.fence(), index, CHUNK_BYTES, checksum(index));
    }

    Decision<State, Effect, Refusal> receive(Fence fence, int index, long payloadBytes, long checksum) {
        return tell(new Event.ChunkReceived(fence, index, payloadBytes, checksum, now));
    }

    Decision<State, Effect, Refusal> visible(int index) {
        return tell(new Event.ChunkVisible(index, now));
    }

    void receiveAll() {
        for (int index = 0; index < CHUNKS; index++) {
            receive(index);
        }
    }

    void visibleAll() {
        for (int index = 0; index < CHUNKS; index++) {
            visible(index);
        }
    }

    Decision<State, Effect, Refusal> seal(Seal seal) {
        return seal(TERMS.fence(), TERMS.key(), seal);
    }

    Decision<State, Effect, Refusal> seal(Fence fence, TransferKey key, Seal seal) {
        return tell(new Event.SourceSealed(fence, key, seal, now));
    }

    Decision<State, Effect, Refusal> answer(DirectoryAnswer answer) {
        return tell(new Event.DirectoryAnswered(answer, now));
    }

    Decision<State, Effect, Refusal> cancel() {
        return tell(new Event.Cancelled(TERMS.fence(), now));
    }

    /** Lets the deadline of the present state pass. */
    Decision<State, Effect, Refusal> deadline() {
        now = ((State.Live) state()).deadlineNanos();
        return tell(new Event.DeadlinePassed(now));
    }

    boolean did(Class<? extends Effect> type) {
        return effects.stream().anyMatch(type::isInstance);
    }

    long count(Class<? extends Effect> type) {
        return effects.stream().filter(type::isInstance).count();
    }

    List<String> effectNames() {
        return effects.stream().map(e -> e.getClass().getSimpleName()).toList();
    }
}
