package dev.baton.transfer.link.stream;

import dev.baton.contract.identity.TransferId;
import dev.baton.transfer.credit.CreditLedger;
import dev.baton.transfer.credit.CreditRefusal;
import dev.baton.transfer.credit.CreditSnapshot;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkFailure.Kind;
import dev.baton.transfer.link.LinkSender;
import dev.baton.transfer.link.SendChunk;
import dev.baton.transfer.link.SentChunk;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;

/**
 * Sends the chunks of every transfer of one link, in order, within one byte-credit window. Thread-safe. A failed or closed
 * stream stays so: start another over a new {@link LinkSender}.
 */
public final class ChunkSenderStream implements AutoCloseable {
    /** Chunks that the transport may hold at once: enough that it never waits for the stream's thread. */
    private static final int TRANSPORT_DEPTH = 4;

    /** Waiting chunks are descriptors of some hundred bytes; the bound is for runaway callers. */
    public static final int DEFAULT_QUEUE_CHUNKS = 16_384;

    private final LinkSender sender;
    private final CreditLedger ledger;
    private final ChunkSenderListener listener;
    private final CreditGate gate;
    private final BoundedSourceQueue<SendChunk> queue;
    private final CompletionStage<Done> done;

    private final Object lock = new Object();
    /** Guarded by {@link #lock}. */
    private final TransferFlights flights = new TransferFlights();
    /** Guarded by {@link #lock}. */
    private @Nullable LinkFailure over;

    private ChunkSenderStream(
            ClassicActorSystemProvider system,
            LinkSender sender,
            CreditLedger ledger,
            int queueChunks,
            ChunkSenderListener listener) {
        this.sender = sender;
        this.ledger = ledger;
        this.listener = listener;
        this.gate = new CreditGate(ledger, this::dropIfDead, this::refusedCredit);
        Pair<BoundedSourceQueue<SendChunk>, CompletionStage<Done>> running = Source.<SendChunk>queue(queueChunks)
                .via(gate)
                .mapAsync(TRANSPORT_DEPTH, this::send)
                .toMat(Sink.foreach(this::report), Keep.both())
                .run(system);
        this.queue = running.first();
        this.done = running.second();
    }

    /**
     * @param windowBytes credit capacity of the link, payload bytes not yet DEVICE_VISIBLE
     * @param largestChunkBytes payload of the largest chunk that may be offered: the manifest's limit
     * @throws IllegalArgumentException when the window is smaller than one chunk: it could never be sent
     */
    public static ChunkSenderStream start(
            ClassicActorSystemProvider system,
            LinkSender sender,
            long windowBytes,
            long largestChunkBytes,
            int queueChunks,
            ChunkSenderListener listener) {
        if (windowBytes < largestChunkBytes) {
            throw new IllegalArgumentException("the credit window of " + windowBytes
                    + " bytes is smaller than one chunk of " + largestChunkBytes
                    + " bytes, so that chunk could never be sent: enlarge the window or shrink the chunk limit");
        }
        return new ChunkSenderStream(system, sender, new CreditLedger(windowBytes), queueChunks, listener);
    }

    /**
     * Queues a chunk whose K/V is ready (§0x06C).
     *
     * @throws IllegalArgumentException when the chunk is larger than the window
     */
    public Admission offer(SendChunk chunk) {
        if (chunk.chunk().payloadBytes() > ledger.capacityBytes()) {
            throw new IllegalArgumentException("chunk " + chunk.chunk().index() + " has "
                    + chunk.chunk().payloadBytes() + " bytes, the credit window " + ledger.capacityBytes());
        }
        synchronized (lock) {
            if (over != null) {
                return Admission.LINK_CLOSED;
            }
            if (flights.isCancelled(chunk.transferId())) {
                return Admission.TRANSFER_CANCELLED;
            }
            QueueOfferResult result = queue.offer(chunk);
            if (result.isEnqueued()) {
                flights.entered(chunk.transferId());
                return Admission.QUEUED;
            }
            return result.equals(QueueOfferResult.dropped()) ? Admission.QUEUE_FULL : Admission.LINK_CLOSED;
        }
    }

    /** The destination declared the chunk DEVICE_VISIBLE. A second return is refused and changes nothing. */
    public Optional<CreditRefusal> creditReturned(TransferId transfer, int chunkIndex) {
        Optional<CreditRefusal> refusal = ledger.release(transfer, chunkIndex);
        gate.wake();
        return refusal;
    }

    /**
     * Stops a transfer: what waits is dropped, nothing more is taken.
     *
     * @return completes when the transport no longer reads source blocks of the transfer. Credits stay out.
     */
    public CompletionStage<Void> cancel(TransferId transfer) {
        CompletionStage<Void> quiescent;
        synchronized (lock) {
            flights.cancel(transfer);
            // Under the lock: an offer to the transport comes before this cancel and is covered by it, or sees the
            // flag.
            quiescent = sender.cancel(transfer);
        }
        gate.wake();
        return quiescent;
    }

    /**
     * Cancels, and returns every credit that the transfer still holds once the transport is quiescent. The caller calls it when
     * the destination no longer stages these bytes either: it has forgotten the transfer, published it, or its epoch is fenced.
     *
     * @return bytes returned
     */
    public CompletionStage<Long> releaseAll(TransferId transfer) {
        return cancel(transfer).thenApply(quiescent -> {
            long bytes = ledger.releaseAll(transfer);
            gate.wake();
            return bytes;
        });
    }

    public CreditSnapshot credits() {
        return ledger.snapshot();
    }

    /** Ends the link; waiting chunks are reported not sent. Idempotent. */
    @Override
    public void close() {
        end(new LinkFailure(Kind.CLOSED, "the link was closed by its owner"));
    }

    /** Completes when the last chunk was reported. */
    public CompletionStage<Done> done() {
        return done;
    }

    private boolean end(LinkFailure failure) {
        synchronized (lock) {
            if (over != null) {
                return false;
            }
            over = failure;
            queue.complete();
        }
        sender.close();
        gate.wake();
        return true;
    }

    /** Whether the chunk must not leave; if so it is out of the stream and reported. On the stream's thread. */
    private boolean dropIfDead(SendChunk chunk) {
        LinkFailure why = whyDead(chunk);
        if (why == null) {
            return false;
        }
        report(new NotSent(chunk, why));
        return true;
    }

    private void refusedCredit(SendChunk chunk, CreditRefusal refusal) {
        report(new NotSent(
                chunk,
                new LinkFailure(Kind.REPEATED_CHUNK, "chunk " + chunk.chunk().index() + ": " + refusal)));
    }

    private @Nullable LinkFailure whyDead(SendChunk chunk) {
        synchronized (lock) {
            if (flights.isCancelled(chunk.transferId())) {
                return new LinkFailure(Kind.CANCELLED, "transfer " + chunk.transferId() + " was cancelled");
            }
            return over;
        }
    }

    private CompletionStage<Outcome> send(SendChunk chunk) {
        CompletionStage<SentChunk> sent;
        synchronized (lock) {
            LinkFailure why = whyDead(chunk);
            if (why != null) {
                return CompletableFuture.completedFuture(new NotSent(chunk, why));
            }
            sent = sender.offer(chunk);
        }
        return sent.handle((value, failure) -> failure == null ? new Sent(value) : new NotSent(chunk, asLink(failure)));
    }

    private static LinkFailure asLink(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof LinkFailure link
                ? link
                : new LinkFailure(Kind.UNEXPECTED, "offering a chunk failed", cause);
    }

    private void report(Outcome outcome) {
        switch (outcome) {
            case Sent(SentChunk chunk) -> {
                leave(chunk.transferId());
                listener.sent(chunk);
            }
            case NotSent(SendChunk chunk, LinkFailure why) -> {
                leave(chunk.transferId());
                listener.notSent(chunk.transferId(), chunk.chunk().index(), why);
                if (why.kind().endsLink() && end(why)) {
                    listener.linkFailed(why);
                }
            }
        }
    }

    private void leave(TransferId transfer) {
        synchronized (lock) {
            flights.left(transfer);
        }
    }

    private sealed interface Outcome {}

    private record Sent(SentChunk chunk) implements Outcome {}

    private record NotSent(SendChunk chunk, LinkFailure why) implements Outcome {}
}
