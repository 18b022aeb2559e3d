package dev.baton.scheduler.mls.actor;

import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.forward.ForwardPass;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.scheduler.kv.KvBlockPool;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.ffi.KvRegion;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts one worker together from a model on a device: arena, pool, forward pass, loop. The actors get its {@link #context()};
 * when they have stopped, {@link #close()} ends the loop and frees the arena. The model and the data plane stay the caller's,
 * and the data plane must not touch the arena any more (every transfer forgotten, or the plane closed).
 */
public final class WorkerAssembly implements AutoCloseable {
    /** Rows whose logits are computed at once; more are done in groups, so this bounds memory and not the batch. */
    private static final int LOGIT_ROWS = 32;

    private final KvArena arena;
    private final WorkerContext context;

    private WorkerAssembly(KvArena arena, WorkerContext context) {
        this.arena = arena;
        this.context = context;
    }

    /**
     * Opens the arena and starts the loop.
     *
     * @param identity of the model, its numerics naming device and K/V format
     * @param kvType format of K and V in the arena and on the wire
     * @param fenceWorker told when nothing this worker computes or holds may be used any more; from any thread, maybe twice
     */
    public static WorkerAssembly start(
            WorkerId worker,
            WorkerEpoch epoch,
            Supplier<WorkerRole> role,
            Model model,
            ModelIdentity identity,
            WorkerConfig config,
            KvType kvType,
            DataPlane dataPlane,
            long creditWindowBytes,
            RequestGateway gateway,
            Consumer<String> fenceWorker,
            WorkerMetrics metrics) {
        LlamaConfig shape = model.config();
        KvArena arena = KvArena.create(
                model.device(),
                new ArenaShape(
                        shape.layers(),
                        config.arenaBlocks(),
                        shape.kvHeads(),
                        config.blockTokens(),
                        shape.headDim(),
                        kvType));
        try {
            ForwardEngine engine = new ForwardEngine(
                    new ForwardPass(model, arena, config.maxBatchRows(), Math.min(LOGIT_ROWS, config.maxBatchRows())));
            IterationLoop loop =
                    new IterationLoop(worker.value(), engine, config.mlsLimits(), observer(fenceWorker, metrics));
            TensorAbi abi = abi(shape, config.blockTokens(), kvType);
            WorkerContext context = new WorkerContext(
                    worker,
                    epoch,
                    role,
                    identity,
                    abi,
                    shape.vocabulary(),
                    shape.contextTokens(),
                    new KvBlockPool(config.arenaBlocks()),
                    engine,
                    KvRegion.layerMajor(arena.segment(), shape.layers(), config.arenaBlocks(), abi.layerBlockBytes()),
                    loop,
                    dataPlane,
                    creditWindowBytes,
                    gateway,
                    fenceWorker,
                    config,
                    metrics);
            loop.start();
            return new WorkerAssembly(arena, context);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** How a worker of this model reads its K/V bytes. */
    public static TensorAbi abi(LlamaConfig shape, int blockTokens, KvType kvType) {
        return new TensorAbi(
                switch (kvType) {
                    case F32 -> ElementType.F32;
                    case F16 -> ElementType.F16;
                },
                AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM,
                shape.layers(),
                shape.kvHeads(),
                shape.headDim(),
                blockTokens,
                Partition.WHOLE);
    }

    public WorkerContext context() {
        return context;
    }

    @Override
    public void close() {
        context.loop().close();
        arena.close();
    }

    private static LoopObserver observer(Consumer<String> fenceWorker, WorkerMetrics metrics) {
        return new LoopObserver() {
            @Override
            public void iterated(int prefillRows, int decodeRows, long durationNanos) {
                metrics.iteration(prefillRows, decodeRows, durationNanos);
            }

            @Override
            public void stopped(Throwable bug) {
                fenceWorker.accept("iteration loop: " + bug);
            }
        };
    }
}
