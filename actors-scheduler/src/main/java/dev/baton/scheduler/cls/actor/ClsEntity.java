package dev.baton.scheduler.cls.actor;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.machine.MachineHost;
import dev.baton.scheduler.cls.ClsEffect;
import dev.baton.scheduler.cls.ClsEvent;
import dev.baton.scheduler.cls.ClsLimits;
import dev.baton.scheduler.cls.ClsMachine;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.cls.ClsProtocol.Command;
import dev.baton.scheduler.cls.ClsState;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.request.RequestProtocol;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;

/** One cluster-level scheduler, sharded by the name of its model. */
public final class ClsEntity {

    public static final EntityTypeKey<Command> TYPE_KEY = EntityTypeKey.create(Command.class, "cls");

    /**
     * @param tick how often waiting asks are checked against their time
     * @param epochNanos time since the epoch; does not run backwards while the node lives
     */
    public record Settings(ClsLimits limits, Duration tick, LongSupplier epochNanos) {}

    /** A node joined, left or changed reachability. */
    record Membership(ClsEvent event) implements ClsProtocol.Internal {}

    private record Tick() implements ClsProtocol.Internal {}

    private final ModelId model;
    private final Settings settings;
    private final RequestGateway requests;
    private final ActorContext<Command> context;
    private final MachineHost<ClsState, ClsEvent, ClsEffect, ClsMachine.Refusal> host;

    /** Makes cluster-level schedulers available on this node. */
    public static ActorRef<?> init(ClusterSharding sharding, Settings settings, RequestGateway requests) {
        return sharding.init(Entity.of(
                TYPE_KEY,
                entity -> create(
                        new ModelId(entity.getEntityId()), settings, requests, ClsEntity::subscribeToMembership)));
    }

    /** @param subscribe brings membership events to the actor */
    static Behavior<Command> create(
            ModelId model, Settings settings, RequestGateway requests, Consumer<ActorContext<Command>> subscribe) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            subscribe.accept(context);
            timers.startTimerWithFixedDelay(new Tick(), settings.tick());
            ClsEntity entity = new ClsEntity(model, settings, requests, context);
            return Behaviors.receiveMessage(message -> {
                entity.receive(message);
                return Behaviors.same();
            });
        }));
    }

    private ClsEntity(ModelId model, Settings settings, RequestGateway requests, ActorContext<Command> context) {
        this.model = model;
        this.settings = settings;
        this.requests = requests;
        this.context = context;
        // Milliseconds since the epoch: above the route epochs of every earlier incarnation.
        RouteEpoch epoch = new RouteEpoch(settings.epochNanos().getAsLong() / 1_000_000);
        this.host = new MachineHost<>(
                new ClsMachine(settings.limits()),
                ClsState.empty(epoch),
                (from, event, to) -> {},
                this::run,
                (reason, event) -> context.getLog()
                        .debug(
                                "model={} refused={} event={}",
                                model,
                                reason,
                                event.getClass().getSimpleName()));
    }

    private static void subscribeToMembership(ActorContext<Command> context) {
        ActorRef<ClusterEvent.ClusterDomainEvent> adapter =
                context.messageAdapter(ClusterEvent.ClusterDomainEvent.class, ClsEntity::membership);
        Cluster.get(context.getSystem())
                .subscriptions()
                .tell(Subscribe.create(adapter, ClusterEvent.ClusterDomainEvent.class));
    }

    /** A tick stands for events of no consequence here. */
    static Command membership(ClusterEvent.ClusterDomainEvent event) {
        return switch (event) {
            case ClusterEvent.MemberDowned downed -> new Membership(gone(downed.member()));
            case ClusterEvent.MemberRemoved removed -> new Membership(gone(removed.member()));
            case ClusterEvent.UnreachableMember unreachable -> new Membership(reachable(unreachable.member(), false));
            case ClusterEvent.ReachableMember reachable -> new Membership(reachable(reachable.member(), true));
            // The hierarchy is Pekko's and open.
            default -> new Tick();
        };
    }

    private static ClsEvent gone(Member member) {
        return new ClsEvent.NodeGone(member.address().toString(), 0);
    }

    private static ClsEvent reachable(Member member, boolean reachable) {
        return new ClsEvent.NodeReachable(member.address().toString(), reachable, 0);
    }

    private void receive(Command command) {
        long now = settings.epochNanos().getAsLong();
        switch (command) {
            case ClsProtocol.AskRoute ask -> host.handle(new ClsEvent.Asked(ask, now));
            case ClsProtocol.ReleaseRoute release ->
                host.handle(new ClsEvent.Released(release.request(), release.routeAsk(), now));
            case ClsProtocol.Report report -> {
                if (report.report().model().equals(model)) {
                    host.handle(new ClsEvent.Reported(report.report(), now));
                } else {
                    context.getLog()
                            .warn(
                                    "model={} refused=WRONG_MODEL worker={} reported={}",
                                    model,
                                    report.report().ref().worker(),
                                    report.report().model());
                }
            }
            case ClsProtocol.WorkerLeaving leaving ->
                host.handle(new ClsEvent.WorkerLeft(leaving.worker(), leaving.epoch(), now));
            case ClsProtocol.ReadCluster read -> read.replyTo().tell(view());
            case ClsProtocol.Internal internal ->
                host.handle(internal instanceof Membership(ClsEvent event) ? event : new ClsEvent.Ticked(now));
        }
    }

    private ClsProtocol.ClusterView view() {
        ClsState state = host.state();
        return new ClsProtocol.ClusterView(
                state.workers().values().stream().map(ClsState.Seat::report).toList(),
                state.waiting().size(),
                state.bound().size());
    }

    private void run(ClsEffect effect) {
        RequestProtocol.Command message = switch (effect) {
            case ClsEffect.Grant grant -> new RequestProtocol.RouteGranted(grant.grant());
            case ClsEffect.Refuse refuse ->
                new RequestProtocol.RouteRefused(refuse.routeAsk(), refuse.cause(), refuse.retryAfterMillis());
            case ClsEffect.TellLost lost -> new RequestProtocol.WorkerLost(lost.worker(), lost.epoch());
        };
        requests.tell(effect.request(), message);
    }
}
