package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.transfer.link.LinkFailure.Kind;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.exceptions.RegistrationException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One link epoch over an Aeron publication. The public methods hand over to the agent; all others are the agent's. */
final class AeronLink implements LinkSender {
    private static final Logger LOG = LoggerFactory.getLogger(AeronLink.class);
    /** Chunks offered in one turn before receivers get theirs. */
    private static final int CHUNKS_PER_TURN = 4;

    private final AgentCommands commands;
    private final LinkConfig config;
    private final LinkMeters meters;
    private final WorkerEpoch sourceEpoch;
    private final WorkerEpoch destinationEpoch;
    private final DataEndpoint destination;
    private final LinkPath path;
    private final String uri;
    private final UnsafeBuffer header = new UnsafeBuffer(new byte[ChunkHeader.HEADER_BYTES]);
    private final ArrayDeque<OutgoingChunk> pending = new ArrayDeque<>();

    private long registrationId = Aeron.NULL_VALUE;
    private @Nullable ExclusivePublication publication;
    private boolean wasConnected;
    private long waitingSinceNs;
    private boolean isWaiting;
    private long lastSentNs;
    private @Nullable LinkFailure failure;

    AeronLink(
            AgentCommands commands,
            LinkConfig config,
            LinkMeters meters,
            WorkerEpoch sourceEpoch,
            DataEndpoint destination,
            WorkerEpoch destinationEpoch,
            LinkPath path) {
        this.sourceEpoch = sourceEpoch;
        this.destinationEpoch = destinationEpoch;
        this.commands = commands;
        this.config = config;
        this.meters = meters;
        this.destination = destination;
        this.path = path;
        String first = destination.uri(path);
        this.uri = first + (first.indexOf('?') < 0 ? '?' : '|') + "term-length=" + config.termBufferBytes() + "|mtu="
                + config.mtuBytes() + (path == LinkPath.UDP ? "|so-sndbuf=" + config.windowBytes() : "");
    }

    @Override
    public CompletionStage<SentChunk> offer(SendChunk chunk) {
        OutgoingChunk outgoing = new OutgoingChunk(chunk);
        if (!chunk.fence().sourceEpoch().equals(sourceEpoch)
                || !chunk.fence().destinationEpoch().equals(destinationEpoch)) {
            outgoing.done.completeExceptionally(new LinkFailure(
                    Kind.WRONG_LINK,
                    "this link goes from source epoch " + sourceEpoch + " to destination epoch " + destinationEpoch
                            + ", the chunk's fence says " + chunk.fence().sourceEpoch() + " and "
                            + chunk.fence().destinationEpoch()));
            return outgoing.done.minimalCompletionStage();
        }
        if (chunk.chunk().payloadBytes() > config.maxChunkPayloadBytes()) {
            outgoing.done.completeExceptionally(new LinkFailure(
                    Kind.MESSAGE_TOO_LONG,
                    "chunk " + chunk.chunk().index() + " has " + chunk.chunk().payloadBytes()
                            + " payload bytes, this link takes " + config.maxChunkPayloadBytes()
                            + ": lower the manifest's chunk limit or enlarge the term buffer"));
            return outgoing.done.minimalCompletionStage();
        }
        meters.pendingChunks.incrementAndGet();
        commands.submit(() -> add(outgoing));
        return outgoing.done.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> cancel(TransferId transfer) {
        CompletableFuture<Void> quiescent = new CompletableFuture<>();
        commands.submit(() -> {
            drop(transfer);
            quiescent.complete(null);
        });
        return quiescent.minimalCompletionStage();
    }

    @Override
    public LinkPath path() {
        return path;
    }

    @Override
    public void close() {
        commands.submit(
                () -> fail(new LinkFailure(Kind.CLOSED, "the link to " + destination.udpHost() + " was closed")));
    }

    boolean isOver() {
        return failure != null;
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    private void add(OutgoingChunk outgoing) {
        if (failure != null) {
            reject(outgoing, failure);
        } else {
            pending.add(outgoing);
        }
    }

    private void drop(TransferId transfer) {
        for (Iterator<OutgoingChunk> it = pending.iterator(); it.hasNext(); ) {
            OutgoingChunk outgoing = it.next();
            if (outgoing.chunk.transferId().equals(transfer)) {
                it.remove();
                reject(outgoing, new LinkFailure(Kind.CANCELLED, "transfer " + transfer + " was cancelled"));
            }
        }
    }

    /** One turn: opens the publication if something waits, offers until the peer is full. */
    int poll(Aeron aeron, long nowNs) {
        if (failure != null) {
            return 0;
        }
        ExclusivePublication open = publication;
        if (pending.isEmpty()) {
            if (open != null && nowNs - lastSentNs > config.idleClose().toNanos()) {
                closePublication();
            }
            return 0;
        }
        if (open == null) {
            open = opened(aeron, nowNs);
            if (open == null) {
                return 0;
            }
        }
        int work = 0;
        while (work < CHUNKS_PER_TURN && failure == null && !pending.isEmpty() && offerFirst(open, nowNs)) {
            work++;
        }
        return work;
    }

    private @Nullable ExclusivePublication opened(Aeron aeron, long nowNs) {
        try {
            if (registrationId == Aeron.NULL_VALUE) {
                registrationId = aeron.asyncAddExclusivePublication(uri, destination.streamId());
                waitFrom(nowNs);
            }
            publication = aeron.getExclusivePublication(registrationId);
        } catch (RegistrationException e) {
            fail(new LinkFailure(Kind.REGISTRATION, "the driver refused " + uri + ": " + e.getMessage(), e));
            return null;
        }
        ExclusivePublication open = publication;
        if (open == null) {
            checkDeadline(
                    nowNs,
                    config.connectTimeout().toNanos(),
                    Kind.REGISTRATION,
                    "the driver did not answer for " + uri);
            return null;
        }
        wasConnected = false;
        if (open.maxMessageLength() < config.maxMessageBytes()) {
            fail(new LinkFailure(
                    Kind.REGISTRATION,
                    "the publication takes messages of " + open.maxMessageLength() + " bytes, configured are "
                            + config.maxMessageBytes()));
            return null;
        }
        return open;
    }

    /** Whether the first waiting chunk left. */
    private boolean offerFirst(ExclusivePublication open, long nowNs) {
        OutgoingChunk first = pending.element();
        long result;
        try {
            result = open.offer(first.vectors(header, destination.linkEpoch()));
        } catch (IllegalStateException | IndexOutOfBoundsException e) {
            LOG.error("source blocks of transfer={} can't be read", first.chunk.transferId(), e);
            pending.remove();
            reject(first, new LinkFailure(Kind.SOURCE_UNREADABLE, "source blocks can't be read", e));
            return true;
        }
        if (result > 0) {
            pending.remove();
            isWaiting = false;
            wasConnected = true;
            lastSentNs = nowNs;
            meters.pendingChunks.decrementAndGet();
            meters.chunksSent.increment();
            meters.wireBytesSent.add(first.wireBytes());
            first.done.complete(new SentChunk(
                    first.chunk.transferId(),
                    first.chunk.chunk().index(),
                    first.crc(),
                    first.wireBytes(),
                    System.nanoTime()));
            return true;
        }
        notTaken(result, nowNs);
        return false;
    }

    private void notTaken(long result, long nowNs) {
        if (result == Publication.BACK_PRESSURED || result == Publication.ADMIN_ACTION) {
            wasConnected = true;
            meters.backPressuredOffers.increment();
            waitFrom(nowNs);
            checkDeadline(
                    nowNs,
                    config.offerTimeout().toNanos(),
                    Kind.BACK_PRESSURE,
                    "the peer is connected and takes nothing");
        } else if (result == Publication.NOT_CONNECTED) {
            if (wasConnected) {
                fail(new LinkFailure(Kind.NOT_CONNECTED, "the peer at " + uri + " is gone"));
            } else {
                waitFrom(nowNs);
                checkDeadline(nowNs, config.connectTimeout().toNanos(), Kind.NOT_CONNECTED, "no peer at " + uri);
            }
        } else if (result == Publication.MAX_POSITION_EXCEEDED) {
            fail(new LinkFailure(Kind.MAX_POSITION, "the publication has no positions left"));
        } else {
            fail(new LinkFailure(Kind.PUBLICATION_CLOSED, "the publication was closed, offer said " + result));
        }
    }

    private void waitFrom(long nowNs) {
        if (!isWaiting) {
            isWaiting = true;
            waitingSinceNs = nowNs;
        }
    }

    private void checkDeadline(long nowNs, long timeoutNs, Kind kind, String what) {
        if (nowNs - waitingSinceNs > timeoutNs) {
            fail(new LinkFailure(kind, what + " for " + timeoutNs / 1_000_000 + " ms"));
        }
    }

    /** The one exit: everything that waits fails, the publication closes, the link stays failed. */
    void fail(LinkFailure why) {
        if (failure != null) {
            return;
        }
        failure = why;
        if (why.kind() != Kind.CLOSED) {
            LOG.warn("link={} failed pending_chunks={} {}", uri, pending.size(), why.getMessage());
        }
        closePublication();
        OutgoingChunk next;
        while ((next = pending.poll()) != null) {
            reject(next, why);
        }
    }

    private void reject(OutgoingChunk outgoing, LinkFailure why) {
        meters.pendingChunks.decrementAndGet();
        outgoing.done.completeExceptionally(why);
    }

    private void closePublication() {
        ExclusivePublication open = publication;
        if (open != null) {
            open.close();
        }
        publication = null;
        registrationId = Aeron.NULL_VALUE;
        isWaiting = false;
    }
}
