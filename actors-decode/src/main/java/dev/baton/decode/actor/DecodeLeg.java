package dev.baton.decode.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.decode.DecodeMachine;
import dev.baton.decode.DecodeMachine.Effect;
import dev.baton.decode.DecodeMachine.Event;
import dev.baton.decode.DecodeMachine.Refusal;
import dev.baton.decode.DecodeMachine.State;
import dev.baton.decode.DecodeSequences;
import dev.baton.decode.DecodeTerms;
import dev.baton.scheduler.mls.actor.LegRecords;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.QueuedHost;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.request.Leg;
import dev.baton.scheduler.request.RequestProtocol;
import java.util.ArrayList;
import java.util.List;

/** One decode leg inside the actor: runs the effects of its {@link DecodeMachine} on loop, pool and request. */
final class DecodeLeg {
    private static final String MACHINE = "decode";

    private final WorkerContext context;
    private final Fence fence;
    private final LegTokens tokens;
    private final DecodeSequences sequences;
    private final KvArrival arrival;
    private final LegRecords records;
    private final QueuedHost<State, Event, Effect, Refusal> host;

    DecodeLeg(
            WorkerContext context,
            Fence fence,
            LegTokens tokens,
            DecodeSequences sequences,
            KvArrival arrival,
            LegRecords records) {
        this.context = context;
        this.fence = fence;
        this.tokens = tokens;
        this.sequences = sequences;
        this.arrival = arrival;
        this.records = records;
        DecodeTerms terms = new DecodeTerms(
                tokens.choices(),
                tokens.spec().maxTokens(),
                context.config().silenceDeadline().toNanos(),
                context.config().drainDeadline().toNanos());
        this.host = new QueuedHost<>(
                new DecodeMachine(),
                new State.AwaitingKv(terms, arrival.deadlineNanos()),
                this::record,
                this::run,
                (reason, event) -> context.metrics().refused(MACHINE, reason));
    }

    Fence fence() {
        return fence;
    }

    TransferId transfer() {
        return fence.transferId();
    }

    LegTokens tokens() {
        return tokens;
    }

    KvArrival arrival() {
        return arrival;
    }

    boolean isOver() {
        return host.state() instanceof State.Released && arrival.isOver();
    }

    // ---- what others say ----

    /** The complete K/V may be read; the blocks are this leg's from now on. */
    void kvVisible(List<Integer> firstTokens, int nextTokenIndex) {
        List<Boolean> starts = new ArrayList<>();
        for (int token : firstTokens) {
            starts.add(sequences.goesOn(nextTokenIndex - 1, token));
        }
        sequences.takeOver(firstTokens);
        if (host.state() instanceof State.AwaitingKv) {
            host.submit(new Event.KvVisible(nextTokenIndex, starts, context.nowNanos()));
        } else {
            // Ended while the publication was under way: nobody will read it.
            sequences.releaseAll();
        }
    }

    void sampled(int choice, int index, int token) {
        context.metrics().tokensSampled(1);
        host.submit(new Event.TokenSampled(choice, index, token));
    }

    void sequenceLeft(int choice) {
        host.submit(new Event.SequenceLeft(choice));
    }

    void tokensAccepted(int choice, int nextIndex) {
        host.submit(new Event.TokensAccepted(choice, nextIndex, context.nowNanos()));
    }

    void endChoice(int choice) {
        host.submit(new Event.ChoiceEnded(choice, context.nowNanos()));
    }

    void end(String cause) {
        host.submit(new Event.LegEnded(cause, context.nowNanos()));
    }

    void fail(String cause) {
        host.submit(new Event.Failed(cause, context.nowNanos()));
    }

    void ticked(long nowNanos) {
        arrival.ticked(nowNanos);
        host.submit(new Event.Ticked(nowNanos));
    }

    /** Everything that can still be read back; called once, when the leg is over. */
    void close() {
        report();
    }

    /** Tells the request what the leg's machines did since the last time. */
    void report() {
        tell(new RequestProtocol.TransitionsReported(records.flush()));
    }

    // ---- effects ----

    private void run(Effect effect) {
        switch (effect) {
            case Effect.StartSequence(int choice) -> {
                if (!sequences.start(choice)) {
                    host.submit(new Event.SequenceLeft(choice));
                    host.submit(new Event.Failed("the loop takes no more work", context.nowNanos()));
                }
            }
            case Effect.ReleaseChoice(int choice) -> sequences.release(choice);
            case Effect.StopSequence(int choice) -> sequences.stop(choice);
            case Effect.SendTokens send ->
                tell(new RequestProtocol.TokensProduced(fence, send.choice(), send.firstIndex(), send.tokens()));
            case Effect.AbandonKv(String cause) -> arrival.abandon(cause);
            case Effect.ReportFailure(String cause) -> tell(new RequestProtocol.LegFailed(fence, Leg.DECODE, cause));
            case Effect.FenceWorker(String cause) -> context.fenceWorker().accept(cause);
            case Effect.Forget forget -> {
                // The actor asks isOver() after every message.
            }
        }
    }

    private void tell(RequestProtocol.Command message) {
        context.gateway().tell(fence.request(), message);
    }

    private void record(State from, Event event, State to) {
        switch (event) {
            case Event.KvVisible visible ->
                records.add(
                        MACHINE,
                        from,
                        event,
                        to,
                        "choices=" + tokens.choices() + " nextTokenIndex=" + visible.nextTokenIndex());
            case Event.TokenSampled sampled ->
                records.addBulk(MACHINE, from, event, to, "choice=" + sampled.choice() + " index=" + sampled.index());
            case Event.TokensAccepted accepted ->
                records.addBulk(
                        MACHINE, from, event, to, "choice=" + accepted.choice() + " nextIndex=" + accepted.nextIndex());
            case Event.SequenceLeft left -> records.add(MACHINE, from, event, to, "choice=" + left.choice());
            case Event.ChoiceEnded ended -> records.add(MACHINE, from, event, to, "choice=" + ended.choice());
            case Event.LegEnded ended -> records.add(MACHINE, from, event, to, "cause=" + ended.cause());
            case Event.Failed failed -> records.add(MACHINE, from, event, to, "cause=" + failed.cause());
            case Event.Ticked ticked -> records.add(MACHINE, from, event, to, "deadline passed");
        }
    }
}
