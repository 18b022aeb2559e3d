package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import java.util.concurrent.CompletionStage;

/**
 * The port to the bytes: one per node process. The adapter over Aeron is {@code AeronDataPlane}; actors talk to this. Thread-safe;
 * stages complete on the agent thread, so continue with {@code pipeToSelf} or an executor.
 */
public interface DataPlane extends AutoCloseable {

    /** Where peers reach this node; goes into the worker's report or the reservation reply. */
    DataEndpoint endpoint();

    /** Largest payload of one chunk, in bytes; the manifest's {@code chunkPayloadLimitBytes} must not exceed it at either end. */
    long maxChunkPayloadBytes();

    /**
     * Makes a transfer known. Complete it before the source is told to send: a chunk of an unknown transfer is refused.
     *
     * @return fails with {@link IllegalStateException} when the transfer is already expected, {@link LinkFailure} when the plane is dead
     */
    CompletionStage<Void> expect(ExpectedTransfer transfer, ChunkListener listener);

    /**
     * Quiescence: after the stage has completed no byte of that transfer is written, and its listener is not called again.
     * Idempotent; never fails, because a dead plane writes nothing either.
     */
    CompletionStage<Void> forget(TransferId transfer);

    /** A new link epoch to {@code destination}; nothing is opened before the first chunk. */
    LinkSender link(WorkerEpoch sourceEpoch, DataEndpoint destination, WorkerEpoch destinationEpoch);

    /** Counts since start. */
    LinkCounters counters();

    /** Stops the agent, fails what waits, removes every file. Blocks up to a second or two; idempotent. */
    @Override
    void close();
}
