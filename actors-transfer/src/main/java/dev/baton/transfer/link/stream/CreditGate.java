package dev.baton.transfer.link.stream;

import dev.baton.transfer.credit.CreditLedger;
import dev.baton.transfer.credit.CreditRefusal;
import dev.baton.transfer.link.SendChunk;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.jspecify.annotations.Nullable;

/**
 * Lets a chunk through when the ledger grants its bytes, in order. Holds one chunk at most; {@link #wake} makes it look again
 * after a credit came back or a transfer was cancelled. Materialized once.
 */
final class CreditGate extends GraphStage<FlowShape<SendChunk, SendChunk>> {
    private final Inlet<SendChunk> in = Inlet.create("CreditGate.in");
    private final Outlet<SendChunk> out = Outlet.create("CreditGate.out");
    private final FlowShape<SendChunk, SendChunk> shape = FlowShape.of(in, out);

    private final CreditLedger ledger;
    private final Predicate<SendChunk> dropped;
    private final BiConsumer<SendChunk, CreditRefusal> refused;
    private final AtomicBoolean wakePending = new AtomicBoolean();
    private volatile @Nullable AsyncCallback<NotUsed> lookAgain;

    /**
     * @param dropped tells, and reports, whether a chunk must not leave any more
     * @param refused is told when a chunk asks for a credit that it had before
     */
    CreditGate(CreditLedger ledger, Predicate<SendChunk> dropped, BiConsumer<SendChunk, CreditRefusal> refused) {
        this.ledger = ledger;
        this.dropped = dropped;
        this.refused = refused;
    }

    /** Thread-safe; wakes that come together are one. */
    void wake() {
        AsyncCallback<NotUsed> callback = lookAgain;
        if (callback != null && wakePending.compareAndSet(false, true)) {
            callback.invoke(NotUsed.getInstance());
        }
    }

    @Override
    public FlowShape<SendChunk, SendChunk> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    private final class Logic extends GraphStageLogic {
        private @Nullable SendChunk waiting;

        Logic() {
            super(shape);
            setHandler(in, new AbstractInHandler() {
                @Override
                public void onPush() {
                    waiting = grab(in);
                    admit();
                }

                @Override
                public void onUpstreamFinish() {
                    if (waiting == null) {
                        completeStage();
                    }
                }
            });
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    admit();
                }
            });
        }

        @Override
        public void preStart() {
            lookAgain = createAsyncCallback(nothing -> {
                // Cleared before the ledger is read: a release that comes later sends a new wake.
                wakePending.set(false);
                admit();
            });
        }

        private void admit() {
            SendChunk chunk = waiting;
            if (chunk != null) {
                if (dropped.test(chunk)) {
                    waiting = null;
                } else if (isAvailable(out)) {
                    Optional<CreditRefusal> refusal = ledger.acquire(
                            chunk.transferId(),
                            chunk.chunk().index(),
                            chunk.chunk().payloadBytes());
                    if (refusal.isEmpty()) {
                        waiting = null;
                        push(out, chunk);
                    } else if (refusal.get() != CreditRefusal.WINDOW_FULL) {
                        waiting = null;
                        refused.accept(chunk, refusal.get());
                    }
                }
            }
            if (waiting == null) {
                if (isClosed(in)) {
                    completeStage();
                } else if (isAvailable(out) && !hasBeenPulled(in)) {
                    pull(in);
                }
            }
        }
    }
}
