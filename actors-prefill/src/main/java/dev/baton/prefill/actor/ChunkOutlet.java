package dev.baton.prefill.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.credit.CreditLedger;
import dev.baton.transfer.credit.CreditRefusal;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkSender;
import dev.baton.transfer.link.SendChunk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.IntConsumer;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The way to one destination: chunks of all its legs leave in the order offered, each as soon as the byte-credit window has
 * room for it. Belongs to the prefill actor; what the link answers comes back as messages.
 */
final class ChunkOutlet {
    private record Waiting(SendChunk chunk, IntConsumer granted) {}

    private final WorkerEpoch destinationEpoch;
    private final LinkSender sender;
    private final CreditLedger ledger;
    private final ActorRef<PrefillProtocol.Command> self;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean pumping;
    private boolean closed;

    ChunkOutlet(
            WorkerEpoch destinationEpoch,
            LinkSender sender,
            long windowBytes,
            ActorRef<PrefillProtocol.Command> self) {
        this.destinationEpoch = destinationEpoch;
        this.sender = sender;
        this.ledger = new CreditLedger(windowBytes);
        this.self = self;
    }

    WorkerEpoch destinationEpoch() {
        return destinationEpoch;
    }

    long inflightBytes() {
        return ledger.snapshot().inflightBytes();
    }

    boolean isClosed() {
        return closed;
    }

    /** @param granted told the chunk's index when it holds its credit, just before it goes to the link */
    void offer(SendChunk chunk, IntConsumer granted) {
        waiting.add(new Waiting(chunk, granted));
        pump();
    }

    /** The chunk is DEVICE_VISIBLE. A second return is refused by the ledger and changes nothing. */
    Optional<CreditRefusal> creditReturned(TransferId transfer, int index) {
        Optional<CreditRefusal> refusal = ledger.release(transfer, index);
        pump();
        return refusal;
    }

    void withdraw(TransferId transfer) {
        waiting.removeIf(w -> w.chunk().transferId().equals(transfer));
    }

    /** Answered by {@link Signal.LinkQuiesced}. */
    void quiesce(Fence fence) {
        withdraw(fence.transferId());
        sender.cancel(fence.transferId()).whenComplete((done, failure) -> self.tell(new Signal.LinkQuiesced(fence)));
    }

    /** Legal when the transfer's transport is quiescent, or after all its credits came back. */
    void settle(TransferId transfer) {
        ledger.releaseAll(transfer);
        pump();
    }

    /** Ends this link epoch: nothing of it can arrive at the far end any more. */
    void close() {
        closed = true;
        waiting.clear();
        sender.close();
    }

    private void pump() {
        if (pumping || closed) {
            return;
        }
        pumping = true;
        try {
            Waiting next = waiting.peek();
            while (next != null && acquire(next.chunk())) {
                waiting.remove();
                next.granted().accept(next.chunk().chunk().index());
                send(next.chunk());
                next = waiting.peek();
            }
        } finally {
            pumping = false;
        }
    }

    private boolean acquire(SendChunk chunk) {
        Optional<CreditRefusal> refusal = ledger.acquire(
                chunk.transferId(), chunk.chunk().index(), chunk.chunk().payloadBytes());
        if (refusal.isPresent() && refusal.get() != CreditRefusal.WINDOW_FULL) {
            throw new IllegalStateException("chunk " + chunk.chunk().index() + " was offered twice: " + refusal.get());
        }
        return refusal.isEmpty();
    }

    private void send(SendChunk chunk) {
        sender.offer(chunk).whenComplete((sent, failure) -> {
            if (failure == null) {
                self.tell(new Signal.ChunkLeft(chunk.fence(), sent));
            } else {
                self.tell(new Signal.ChunkLost(chunk.fence(), chunk.chunk().index(), cause(failure)));
            }
        });
    }

    private static LinkFailure cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
        return cause instanceof LinkFailure link
                ? link
                : new LinkFailure(LinkFailure.Kind.UNEXPECTED, String.valueOf(cause.getMessage()), cause);
    }
}
