package dev.baton.transfer.source;

import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CONTINUATION;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;

import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.MachineHost;
import dev.baton.transfer.source.SourceTransfer.Effect;
import dev.baton.transfer.source.SourceTransfer.Event;
import dev.baton.transfer.source.SourceTransfer.Refusal;
import dev.baton.transfer.source.SourceTransfer.State;
import java.util.ArrayList;
import java.util.List;

/** The source machine under its host; keeps the books that a worker would keep. */
final class SourceRig {
    static final Deadlines DEADLINES = new Deadlines(100, 200, 300, 2, 400);

    final List<Effect> effects = new ArrayList<>();
    final List<Refusal> refusals = new ArrayList<>();
    long creditBytes;
    int pins;
    long now = 1_000;
    private final MachineHost<State, Event, Effect, Refusal> host = new MachineHost<>(
            SourceTransfer::decide,
            SourceTransfer.announce(TERMS, DEADLINES, now),
            (from, event, to) -> {},
            this::run,
            (reason, event) -> refusals.add(reason));

    static SourceRig begun() {
        SourceRig rig = new SourceRig();
        rig.tell(new Event.Began(rig.now));
        return rig;
    }

    static SourceRig streaming() {
        SourceRig rig = begun();
        rig.tell(new Event.DestinationReserved(TERMS.fence(), rig.now));
        return rig;
    }

    /** Everything ready; chunk 0 sent and visible, chunk 1 sent, chunk 2 with credit. */
    static SourceRig halfway() {
        SourceRig rig = streaming();
        rig.readyAll();
        rig.grant(0);
        rig.send(0);
        rig.tell(new Event.CreditReturned(TERMS.fence(), 0, rig.now));
        rig.grant(1);
        rig.send(1);
        rig.grant(2);
        return rig;
    }

    static SourceRig sealed() {
        SourceRig rig = streaming();
        rig.readyAll();
        rig.finish();
        for (int index = 0; index < CHUNKS; index++) {
            rig.grant(index);
            rig.send(index);
        }
        return rig;
    }

    static SourceRig aborting() {
        SourceRig rig = halfway();
        rig.tell(new Event.Cancelled(TERMS.fence(), rig.now));
        return rig;
    }

    static SourceRig aborted() {
        SourceRig rig = aborting();
        rig.tell(new Event.TransportQuiesced(rig.now));
        return rig;
    }

    static SourceRig released() {
        SourceRig rig = sealed();
        rig.tell(new Event.PublicationAcknowledged(TERMS.fence(), TERMS.transfer(), rig.now));
        return rig;
    }

    private void run(Effect effect) {
        effects.add(effect);
        if (effect instanceof Effect.PinBlocks) {
            pins++;
        } else if (effect instanceof Effect.ReleaseBlocks) {
            pins--;
        } else if (effect instanceof Effect.ReleaseCredits released) {
            creditBytes -= released.payloadBytes();
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

    Decision<State, Effect, Refusal> ready(int layer, int upTo) {
        return tell(new Event.KvReady(TERMS.fence(), layer, upTo, now));
    }

    void readyAll() {
        for (int layer = 0; layer < 4; layer++) {
            ready(layer, 32);
        }
    }

    void finish() {
        tell(new Event.PrefillFinished(TERMS.fence(), CONTINUATION, now));
    }

    Decision<State, Effect, Refusal> grant(int index) {
        creditBytes += TERMS.plan().chunk(index).payloadBytes();
        return tell(new Event.CreditGranted(index, now));
    }

    Decision<State, Effect, Refusal> send(int index) {
        return tell(new Event.ChunkSent(index, checksum(index), now));
    }

    Decision<State, Effect, Refusal> deadline() {
        now = ((State.Live) state()).deadlineNanos();
        return tell(new Event.DeadlinePassed(now));
    }

    List<Integer> offered() {
        return effects.stream()
                .filter(Effect.OfferChunk.class::isInstance)
                .map(e -> ((Effect.OfferChunk) e).spec().index())
                .toList();
    }

    boolean did(Class<? extends Effect> type) {
        return effects.stream().anyMatch(type::isInstance);
    }

    long count(Class<? extends Effect> type) {
        return effects.stream().filter(type::isInstance).count();
    }
}
