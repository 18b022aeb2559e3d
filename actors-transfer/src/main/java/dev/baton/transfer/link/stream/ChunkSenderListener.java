package dev.baton.transfer.link.stream;

import dev.baton.contract.identity.TransferId;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.SentChunk;

/** What became of the chunks of one link. Called on the stream's thread, one call at a time: hand over and return. */
public interface ChunkSenderListener {

    /** The transport has its own copy. The credit stays out until {@code creditReturned}. */
    void sent(SentChunk chunk);

    /** The chunk did not leave, and will not: offer it again on another link epoch, or abort. */
    void notSent(TransferId transfer, int chunkIndex, LinkFailure why);

    /** The link is over; called once. Every chunk that waited is also told by {@link #notSent}. */
    void linkFailed(LinkFailure failure);
}
