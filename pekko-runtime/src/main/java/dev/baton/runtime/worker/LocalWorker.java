package dev.baton.runtime.worker;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.forward.ForwardPass;
import dev.baton.scheduler.kv.KvBlockPool;
import dev.baton.scheduler.mls.actor.ForwardEngine;
import dev.baton.scheduler.mls.actor.IterationLoop;
import dev.baton.scheduler.mls.actor.LoopObserver;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.mls.actor.WorkerMetrics;
import dev.baton.scheduler.mls.actor.WorkerRole;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.worker.Role;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.ffi.KvRegion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory and the thread of one worker; device and weights are its own but belong to whoever made them, and outlive it.
 * Close it after its actors have stopped.
 */
public final class LocalWorker implements AutoCloseable {

    private final WorkerContext context;
    private final Deque<AutoCloseable> resources;

    private LocalWorker(WorkerContext context, Deque<AutoCloseable> resources) {
        this.context = context;
        this.resources = resources;
    }

    /**
     * @param fenceWorker called once when nothing of this epoch can be trusted any more
     */
    public static LocalWorker start(
            WorkerId name,
            WorkerEpoch epoch,
            Role role,
            Device device,
            Model model,
            ModelIdentity identity,
            WorkerSettings settings,
            DataPlane dataPlane,
            RequestGateway gateway,
            WorkerMetrics metrics,
            Consumer<String> fenceWorker) {
        Deque<AutoCloseable> resources = new ArrayDeque<>();
        try {
            KvArena arena = KvArena.create(device, settings.arena());
            resources.push(arena);
            ForwardPass pass = new ForwardPass(
                    model, arena, device.newQueue(), settings.worker().maxBatchRows(), settings.logitGroup());
            resources.push(pass);
            ForwardEngine engine = new ForwardEngine(pass);
            IterationLoop loop = new IterationLoop(
                    name.value(),
                    engine,
                    settings.worker().mlsLimits(),
                    observer(metrics, fenceWorker));
            resources.push(loop);
            KvRegion region = KvRegion.layerMajor(
                    arena.segment(), settings.arena().layers(), settings.arena().blocks(), arena.layerBlockBytes());
            WorkerRole playing = new WorkerRole(role, RoleEpoch.FIRST);
            WorkerContext context = new WorkerContext(
                    name,
                    epoch,
                    () -> playing,
                    identity,
                    settings.abi(),
                    model.config().vocabulary(),
                    model.config().contextTokens(),
                    new KvBlockPool(settings.arena().blocks()),
                    engine,
                    region,
                    loop,
                    dataPlane,
                    settings.creditWindowBytes(),
                    gateway,
                    fenceWorker,
                    settings.worker(),
                    metrics);
            loop.start();
            return new LocalWorker(context, resources);
        } catch (RuntimeException e) {
            closeAll(resources, e);
            throw e;
        }
    }

    private static LoopObserver observer(WorkerMetrics metrics, Consumer<String> fenceWorker) {
        return new LoopObserver() {
            @Override
            public void iterated(int prefillRows, int decodeRows, long durationNanos) {
                metrics.iteration(prefillRows, decodeRows, durationNanos);
            }

            @Override
            public void stopped(Throwable bug) {
                fenceWorker.accept("the iteration loop stopped: " + bug);
            }
        };
    }

    public WorkerContext context() {
        return context;
    }

    @Override
    public void close() {
        RuntimeException failure = closeAll(resources, null);
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable RuntimeException closeAll(Deque<AutoCloseable> resources, @Nullable RuntimeException first) {
        RuntimeException failure = first;
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new IllegalStateException("a worker's resource did not close", e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        return failure;
    }
}
