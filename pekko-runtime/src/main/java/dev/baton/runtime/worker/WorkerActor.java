package dev.baton.runtime.worker;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.decode.actor.DecodeActor;
import dev.baton.prefill.actor.PrefillActor;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.scheduler.worker.WorkerReport;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.typed.Cluster;

/**
 * One worker's face to the cluster: holds the actors of both legs, reports the load to the cluster-level scheduler at a fixed
 * pace, and says goodbye when it stops. It does no work itself.
 */
public final class WorkerActor extends AbstractBehavior<WorkerActor.Command> {

    public sealed interface Command {}

    private enum Tick implements Command {
        REPORT
    }

    /** Another worker's incarnation is gone: whatever waits for it must end. */
    public record PeerGone(WorkerEpoch epoch) implements Command {}

    private final WorkerContext worker;
    private final ModelId model;
    private final Role role;
    private final Consumer<ClsProtocol.Command> scheduler;
    private final WorkerRef ref;
    private final String nodeAddress;
    private long reports;

    /**
     * @param scheduler reaches the cluster-level scheduler of the model
     * @param reportInterval pace of the reports (§0x08F)
     */
    public static Behavior<Command> create(
            WorkerContext worker,
            ModelId model,
            Role role,
            RoleEpoch roleEpoch,
            Consumer<ClsProtocol.Command> scheduler,
            Duration reportInterval) {
        return Behaviors.setup(context -> Behaviors.withTimers(
                timers -> new WorkerActor(context, timers, worker, model, role, roleEpoch, scheduler, reportInterval)));
    }

    private WorkerActor(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WorkerContext worker,
            ModelId model,
            Role role,
            RoleEpoch roleEpoch,
            Consumer<ClsProtocol.Command> scheduler,
            Duration reportInterval) {
        super(context);
        this.worker = worker;
        this.model = model;
        this.role = role;
        this.scheduler = scheduler;
        ActorRef<PrefillProtocol.Command> prefill = context.spawn(PrefillActor.create(worker), "prefill");
        ActorRef<DecodeProtocol.Command> decode = context.spawn(DecodeActor.create(worker), "decode");
        this.ref = new WorkerRef(worker.worker(), worker.epoch(), roleEpoch, prefill, decode);
        this.nodeAddress =
                Cluster.get(context.getSystem()).selfMember().address().toString();
        timers.startTimerWithFixedDelay(Tick.REPORT, Duration.ZERO, reportInterval);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Tick.class, _ -> report())
                .onSignal(PostStop.class, _ -> leave())
                .build();
    }

    private Behavior<Command> report() {
        var load = worker.loop().load();
        var usage = worker.pool().usage();
        scheduler.accept(new ClsProtocol.Report(new WorkerReport(
                ref,
                model,
                role,
                reports++,
                nodeAddress,
                load.pendingPrefillTokens(),
                load.runningDecodes(),
                usage.freeBlocks(),
                usage.totalBlocks(),
                worker.contextTokens(),
                worker.abi(),
                worker.identity())));
        return this;
    }

    private Behavior<Command> leave() {
        scheduler.accept(new ClsProtocol.WorkerLeaving(worker.worker(), worker.epoch()));
        return this;
    }
}
