package dev.baton.runtime.worker;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.journal.WireMessage;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;
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

    /** Workers find each other through the cluster's receptionist, to learn which epoch ends when a node goes. */
    private record PeersFound(Set<ActorRef<Command>> peers) implements Command {}

    /** Who are you? */
    public record Hello(ActorRef<Command> from) implements Command, WireMessage {}

    /** I am this incarnation. */
    public record Introduced(WorkerEpoch epoch, ActorRef<Command> peer) implements Command, WireMessage {}

    /** What the worker holds, for status and for tests that end with nothing held. */
    public record ReadLoad(ActorRef<Load> replyTo) implements Command {}

    /** @param creditBytes bytes sent and not yet visible at their destination */
    public record Load(long legs, long creditBytes) {}

    /** Nothing that this worker computes or holds may be used any more. */
    public record Fence(String cause) implements Command {}

    private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(5);
    private static final ServiceKey<Command> PEERS = ServiceKey.create(Command.class, "baton-workers");

    private final WorkerContext worker;
    private final LongConsumer creditBytes;
    private final ActorRef<PrefillProtocol.Command> prefill;
    private final ActorRef<DecodeProtocol.Command> decode;
    private final Set<ActorRef<Command>> met = new HashSet<>();
    private final Map<ActorRef<Command>, WorkerEpoch> peers = new HashMap<>();
    private final ModelId model;
    private final Role role;
    private final Consumer<ClsProtocol.Command> scheduler;
    private final WorkerRef ref;
    private final String nodeAddress;
    private long reports;

    /**
     * @param scheduler reaches the cluster-level scheduler of the model
     * @param reportInterval pace of the reports (§0x08F)
     * @param creditBytes told at that pace how many bytes are in flight from here
     */
    public static Behavior<Command> create(
            WorkerContext worker,
            ModelId model,
            Role role,
            RoleEpoch roleEpoch,
            Consumer<ClsProtocol.Command> scheduler,
            Duration reportInterval,
            LongConsumer creditBytes) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new WorkerActor(
                context, timers, worker, model, role, roleEpoch, scheduler, reportInterval, creditBytes)));
    }

    private WorkerActor(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            WorkerContext worker,
            ModelId model,
            Role role,
            RoleEpoch roleEpoch,
            Consumer<ClsProtocol.Command> scheduler,
            Duration reportInterval,
            LongConsumer creditBytes) {
        super(context);
        this.worker = worker;
        this.model = model;
        this.role = role;
        this.creditBytes = creditBytes;
        this.scheduler = scheduler;
        this.prefill = context.spawn(PrefillActor.create(worker), "prefill");
        this.decode = context.spawn(DecodeActor.create(worker), "decode");
        this.ref = new WorkerRef(worker.worker(), worker.epoch(), roleEpoch, prefill, decode);
        this.nodeAddress =
                Cluster.get(context.getSystem()).selfMember().address().toString();
        var receptionist = context.getSystem().receptionist();
        receptionist.tell(Receptionist.register(PEERS, context.getSelf()));
        receptionist.tell(Receptionist.subscribe(
                PEERS,
                context.messageAdapter(
                        Receptionist.Listing.class, listing -> new PeersFound(listing.getServiceInstances(PEERS)))));
        // A leg's actor never ends by itself: if it does, it met a bug, and what it held is lost.
        context.watchWith(prefill, new Fence("the prefill actor ended"));
        context.watchWith(decode, new Fence("the decode actor ended"));
        timers.startTimerWithFixedDelay(Tick.REPORT, Duration.ZERO, reportInterval);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Tick.class, _ -> report())
                .onMessage(ReadLoad.class, this::readLoad)
                .onMessage(PeersFound.class, this::meet)
                .onMessage(Hello.class, this::introduce)
                .onMessage(Introduced.class, this::remember)
                .onMessage(Fence.class, this::fence)
                .onSignal(Terminated.class, this::forget)
                .onSignal(PostStop.class, _ -> leave())
                .build();
    }

    private Behavior<Command> readLoad(ReadLoad read) {
        var scheduler = getContext().getSystem().scheduler();
        CompletionStage<PrefillActor.Load> prefills =
                AskPattern.ask(prefill, PrefillActor::read, LOAD_TIMEOUT, scheduler);
        CompletionStage<DecodeActor.Load> decodes = AskPattern.ask(decode, DecodeActor::read, LOAD_TIMEOUT, scheduler);
        prefills.thenCombine(decodes, (p, d) -> new Load((long) p.legs() + d.legs(), p.inflightCreditBytes()))
                .thenAccept(read.replyTo()::tell);
        return this;
    }

    private Behavior<Command> meet(PeersFound found) {
        for (ActorRef<Command> peer : found.peers()) {
            if (!peer.equals(getContext().getSelf()) && met.add(peer)) {
                getContext().watch(peer);
                peer.tell(new Hello(getContext().getSelf()));
            }
        }
        return this;
    }

    private Behavior<Command> introduce(Hello hello) {
        hello.from().tell(new Introduced(worker.epoch(), getContext().getSelf()));
        return this;
    }

    private Behavior<Command> remember(Introduced peer) {
        if (met.contains(peer.peer())) {
            peers.put(peer.peer(), peer.epoch());
        }
        return this;
    }

    private Behavior<Command> forget(Terminated gone) {
        ActorRef<Command> peer = gone.getRef().unsafeUpcast();
        met.remove(peer);
        WorkerEpoch epoch = peers.remove(peer);
        if (epoch != null) {
            prefill.tell(new PrefillProtocol.PeerLost(epoch));
            decode.tell(new DecodeProtocol.PeerLost(epoch));
        }
        return this;
    }

    private Behavior<Command> fence(Fence fence) {
        getContext()
                .getLog()
                .error("worker={} epoch={} fenced cause={}", worker.worker(), worker.epoch(), fence.cause());
        return Behaviors.stopped();
    }

    private Behavior<Command> report() {
        AskPattern.ask(
                        prefill,
                        PrefillActor::read,
                        LOAD_TIMEOUT,
                        getContext().getSystem().scheduler())
                .thenAccept(load -> creditBytes.accept(load.inflightCreditBytes()));
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
