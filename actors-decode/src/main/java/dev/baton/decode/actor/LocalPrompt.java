package dev.baton.decode.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.PromptRun;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.worker.DecodeProtocol;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/** Computes the prompt straight into the blocks that decode will read. */
final class LocalPrompt implements KvArrival {
    private final WorkerContext context;
    private final Fence fence;
    private final LegTokens tokens;
    private final KvReservation reservation;
    private final ActorRef<DecodeProtocol.Command> self;
    private final long workId;
    private final long deadlineNanos;
    private boolean abandoned;
    private boolean computed;
    private boolean leftLoop;

    LocalPrompt(
            WorkerContext context,
            Fence fence,
            LegTokens tokens,
            KvReservation reservation,
            ActorRef<DecodeProtocol.Command> self) {
        this.context = context;
        this.fence = fence;
        this.tokens = tokens;
        this.reservation = reservation;
        this.self = self;
        this.workId = context.loop().newWorkId();
        this.deadlineNanos =
                context.nowNanos() + context.config().transferDeadline().toNanos();
    }

    @Override
    public boolean begin() {
        boolean added = context.loop()
                .add(new PromptRun(
                        workId,
                        tokens,
                        reservation.blocks(),
                        context.config().blockTokens(),
                        context.vocabulary(),
                        context.memory(),
                        new Voice(fence, self)));
        if (!added) {
            context.pool().release(reservation.id(), reservation.blocks());
        }
        return added;
    }

    /** @return whether the leg may take over the blocks */
    boolean computed() {
        computed = !abandoned;
        return computed;
    }

    void leftLoop() {
        leftLoop = true;
        if (!computed) {
            context.pool().release(reservation.id(), reservation.blocks());
        }
    }

    @Override
    public void abandon(String cause) {
        if (!abandoned && !leftLoop) {
            context.loop().remove(workId);
        }
        abandoned = true;
    }

    @Override
    public void ticked(long nowNanos) {
        // The leg's own deadline covers the wait.
    }

    @Override
    public boolean isOver() {
        return leftLoop;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    private record Voice(Fence fence, ActorRef<DecodeProtocol.Command> self) implements PromptRun.Listener {
        @Override
        public void layerReady(int layer, int tokensReady) {
            // Nothing leaves: decode reads the blocks where they are.
        }

        @Override
        public void firstTokens(List<Integer> tokens) {
            self.tell(new Signal.PromptComputed(fence, tokens, System.nanoTime()));
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
