package dev.baton.prefill.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.credit.CreditRefusal;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkSender;
import dev.baton.transfer.link.SendChunk;
import dev.baton.transfer.link.SentChunk;
import dev.baton.transfer.link.stream.Admission;
import dev.baton.transfer.link.stream.ChunkSenderListener;
import dev.baton.transfer.link.stream.ChunkSenderStream;
import java.util.Optional;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * The way to one destination: the sender stream of one link epoch, whose reports come back to the prefill actor as messages.
 */
final class ChunkOutlet {
    private final WorkerEpoch destinationEpoch;
    private final ChunkSenderStream stream;
    private final ActorRef<PrefillProtocol.Command> self;
    private boolean closed;

    ChunkOutlet(
            ClassicActorSystemProvider system,
            WorkerEpoch destinationEpoch,
            LinkSender sender,
            long windowBytes,
            long largestChunkBytes,
            ActorRef<PrefillProtocol.Command> self) {
        this.destinationEpoch = destinationEpoch;
        this.self = self;
        this.stream = ChunkSenderStream.start(
                system,
                sender,
                windowBytes,
                largestChunkBytes,
                ChunkSenderStream.DEFAULT_QUEUE_CHUNKS,
                new Voice(self, this));
    }

    WorkerEpoch destinationEpoch() {
        return destinationEpoch;
    }

    long inflightBytes() {
        return stream.credits().inflightBytes();
    }

    boolean isClosed() {
        return closed;
    }

    /** The chunk leaves as soon as the window has room; a chunk that can't is reported like one that the link lost. */
    void offer(SendChunk chunk) {
        Admission admission = stream.offer(chunk);
        switch (admission) {
            case QUEUED -> {
                // Reported as Signal.ChunkLeft or Signal.ChunkLost.
            }
            case TRANSFER_CANCELLED ->
                lost(chunk, new LinkFailure(LinkFailure.Kind.CANCELLED, "the transfer was cancelled"));
            case QUEUE_FULL, LINK_CLOSED ->
                lost(chunk, new LinkFailure(LinkFailure.Kind.CLOSED, "the sender took no chunk: " + admission));
        }
    }

    /** The chunk is DEVICE_VISIBLE. A second return is refused by the ledger and changes nothing. */
    Optional<CreditRefusal> creditReturned(TransferId transfer, int index) {
        return stream.creditReturned(transfer, index);
    }

    /** Answered by {@link Signal.LinkQuiesced}. */
    void quiesce(Fence fence) {
        stream.cancel(fence.transferId()).whenComplete((done, failure) -> self.tell(new Signal.LinkQuiesced(fence)));
    }

    /** Returns what the transfer still holds of the window. Legal when neither end's transport owns a byte of it. */
    void settle(TransferId transfer) {
        stream.releaseAll(transfer);
    }

    /** Ends this link epoch: nothing of it can arrive at the far end any more. */
    void close() {
        closed = true;
        stream.close();
    }

    private void lost(SendChunk chunk, LinkFailure failure) {
        self.tell(new Signal.ChunkLost(chunk.transferId(), chunk.chunk().index(), failure));
    }

    private record Voice(ActorRef<PrefillProtocol.Command> self, ChunkOutlet outlet) implements ChunkSenderListener {
        @Override
        public void sent(SentChunk chunk) {
            self.tell(new Signal.ChunkLeft(chunk));
        }

        @Override
        public void notSent(TransferId transfer, int chunkIndex, LinkFailure why) {
            self.tell(new Signal.ChunkLost(transfer, chunkIndex, why));
        }

        @Override
        public void linkFailed(LinkFailure failure) {
            self.tell(new Signal.LinkFailed(outlet, failure));
        }
    }
}
