package dev.baton.decode.actor;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.prefill.actor.PrefillActor;
import dev.baton.scheduler.kv.KvBlockPool;
import dev.baton.scheduler.mls.actor.IterationLoop;
import dev.baton.scheduler.mls.actor.LoopObserver;
import dev.baton.scheduler.mls.actor.WorkerAssembly;
import dev.baton.scheduler.mls.actor.WorkerConfig;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.mls.actor.WorkerRole;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.transfer.link.DataPlane;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;

/** One whole worker in the test's process: both actors, loop, pool, arena. */
final class WorkerRig implements AutoCloseable {
    final WorkerContext context;
    final CountingMetrics metrics;
    final List<String> fenced;
    final ActorRef<PrefillProtocol.Command> prefill;
    final ActorRef<DecodeProtocol.Command> decode;
    private final ActorTestKit kit;
    private Runnable after = () -> {};

    private WorkerRig(ActorTestKit kit, WorkerContext context, CountingMetrics metrics, List<String> fenced) {
        this.kit = kit;
        this.context = context;
        this.metrics = metrics;
        this.fenced = fenced;
        this.prefill = kit.spawn(PrefillActor.create(context));
        this.decode = kit.spawn(DecodeActor.create(context));
    }

    /** A worker of the real model. */
    static WorkerRig of(ActorTestKit kit, String name, long epoch, Function<WorkerRigParts, WorkerAssembly> assembly) {
        CountingMetrics metrics = new CountingMetrics();
        List<String> fenced = new CopyOnWriteArrayList<>();
        WorkerRole role = new WorkerRole(Role.MIXED, RoleEpoch.FIRST);
        WorkerAssembly started = assembly.apply(
                new WorkerRigParts(new WorkerId(name), new WorkerEpoch(epoch), () -> role, fenced::add, metrics));
        WorkerRig rig = new WorkerRig(kit, started.context(), metrics, fenced);
        rig.after = started::close;
        return rig;
    }

    /** What the rig gives to an assembly. */
    record WorkerRigParts(
            WorkerId worker,
            WorkerEpoch epoch,
            Supplier<WorkerRole> role,
            Consumer<String> fenceWorker,
            CountingMetrics metrics) {}

    /** A worker of the toy model. */
    static WorkerRig toy(
            ActorTestKit kit,
            String name,
            long epoch,
            ToyModel model,
            WorkerConfig config,
            DataPlane dataPlane,
            RequestGateway gateway) {
        CountingMetrics metrics = new CountingMetrics();
        List<String> fenced = new CopyOnWriteArrayList<>();
        WorkerRole role = new WorkerRole(Role.MIXED, RoleEpoch.FIRST);
        IterationLoop loop = new IterationLoop(name, model, config.mlsLimits(), new LoopObserver() {
            @Override
            public void iterated(int prefillRows, int decodeRows, long durationNanos) {}

            @Override
            public void stopped(Throwable bug) {
                fenced.add(bug.toString());
            }
        });
        WorkerContext context = new WorkerContext(
                new WorkerId(name),
                new WorkerEpoch(epoch),
                () -> role,
                ToyModel.IDENTITY,
                ToyModel.ABI,
                ToyModel.VOCABULARY,
                ToyModel.CONTEXT_TOKENS,
                new KvBlockPool(config.arenaBlocks()),
                model,
                model.region(),
                loop,
                dataPlane,
                8 * ToyModel.ABI.layerBlockBytes(),
                gateway,
                fenced::add,
                config,
                metrics);
        loop.start();
        return new WorkerRig(kit, context, metrics, fenced);
    }

    static WorkerConfig config(int prefillBudgetTokens) {
        return config(prefillBudgetTokens, Duration.ofSeconds(10), Duration.ofSeconds(20));
    }

    /** Deadlines that a test can wait for. */
    static WorkerConfig impatient() {
        return config(64, Duration.ofMillis(400), Duration.ofMillis(300));
    }

    private static WorkerConfig config(int prefillBudgetTokens, Duration transfer, Duration silence) {
        return new WorkerConfig(
                512,
                ToyModel.BLOCK_TOKENS,
                600,
                prefillBudgetTokens,
                2 * ToyModel.ABI.layerBlockBytes(),
                64,
                64,
                256,
                transfer,
                Duration.ofMillis(500),
                silence,
                Duration.ofSeconds(5),
                Duration.ofMillis(20),
                1_024,
                1_024);
    }

    WorkerRef ref() {
        return new WorkerRef(
                context.worker(), context.epoch(), context.role().get().epoch(), prefill, decode);
    }

    PrefillActor.Load prefillLoad() {
        var probe = kit.<PrefillActor.Load>createTestProbe();
        prefill.tell(PrefillActor.read(probe.ref()));
        return probe.receiveMessage();
    }

    DecodeActor.Load decodeLoad() {
        var probe = kit.<DecodeActor.Load>createTestProbe();
        decode.tell(DecodeActor.read(probe.ref()));
        return probe.receiveMessage();
    }

    /** Nothing reserved, no credit out, no leg, nothing on the loop. */
    boolean isIdle() {
        PrefillActor.Load prefilling = prefillLoad();
        return context.pool().usage().idle()
                && prefilling.legs() == 0
                && prefilling.inflightCreditBytes() == 0
                && context.dataPlane().counters().expectedTransfers() == 0
                && decodeLoad().legs() == 0
                && context.loop().load().runningDecodes() == 0
                && context.loop().load().pendingPrefillTokens() == 0;
    }

    @Override
    public String toString() {
        return context.worker() + " pool=" + context.pool().usage() + ' ' + prefillLoad() + ' ' + decodeLoad() + ' '
                + context.loop().load() + " fenced=" + fenced + " metrics=" + metrics;
    }

    @Override
    public void close() {
        kit.stop(prefill);
        kit.stop(decode);
        context.loop().close();
        after.run();
    }
}
