package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import java.util.concurrent.CompletionStage;

/**
 * One link epoch to one destination: its publication opens with the first chunk and closes when idle. After a failure the
 * sender stays failed; a new one from {@link DataPlane#link} is a new link epoch. Thread-safe; stages complete on the agent thread.
 */
public interface LinkSender extends AutoCloseable {

    /**
     * Hands over one chunk; chunks leave in the order offered. The source blocks must stay as they are until the stage
     * completes, or until {@link #cancel} has.
     *
     * @return completes when the transport has its copy; fails with {@link LinkFailure}
     */
    CompletionStage<SentChunk> offer(SendChunk chunk);

    /**
     * Drops the waiting chunks of a transfer; their stages fail with {@link LinkFailure.Kind#CANCELLED}.
     *
     * @return completes when the transport no longer reads source blocks of that transfer; never fails
     */
    CompletionStage<Void> cancel(TransferId transfer);

    LinkPath path();

    /** Fails what waits and closes the publication. Idempotent; returns at once. */
    @Override
    void close();
}
