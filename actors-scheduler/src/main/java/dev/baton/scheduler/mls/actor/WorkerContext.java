package dev.baton.scheduler.mls.actor;

import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.scheduler.kv.BlockMemory;
import dev.baton.scheduler.kv.KvBlockPool;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.ffi.KvRegion;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the prefill and the decode side of one worker share. Made once when the worker starts; closed by whoever made it, after
 * both actors have stopped: loop first, then data plane, then memory.
 *
 * @param worker stable name
 * @param epoch this incarnation
 * @param role the present role; read on each leg
 * @param identity which model, to the bit
 * @param abi how a K/V byte is read here
 * @param vocabulary logits of a row
 * @param contextTokens longest sequence
 * @param pool owner of the arena's block ids
 * @param memory the bytes behind them, for the loop's thread
 * @param region the same bytes, for the link
 * @param loop the device's one thread
 * @param dataPlane the process's link
 * @param creditWindowBytes most bytes in flight to one destination before DEVICE_VISIBLE (§0x06B)
 * @param gateway reaches request entities
 * @param fenceWorker ends this epoch: called once with the cause when nothing here can be trusted any more
 */
public record WorkerContext(
        WorkerId worker,
        WorkerEpoch epoch,
        Supplier<WorkerRole> role,
        ModelIdentity identity,
        TensorAbi abi,
        int vocabulary,
        int contextTokens,
        KvBlockPool pool,
        BlockMemory memory,
        KvRegion region,
        IterationLoop loop,
        DataPlane dataPlane,
        long creditWindowBytes,
        RequestGateway gateway,
        Consumer<String> fenceWorker,
        WorkerConfig config,
        WorkerMetrics metrics) {

    /** A chunk fits the manifest's limit, the link, and the window: else it would wait for ever. */
    public long chunkPayloadLimitBytes() {
        long limit = Math.min(config.chunkPayloadLimitBytes(), dataPlane.maxChunkPayloadBytes());
        return Math.min(limit, creditWindowBytes);
    }

    /** The only clock of a worker's machines. */
    public long nowNanos() {
        return System.nanoTime();
    }
}
