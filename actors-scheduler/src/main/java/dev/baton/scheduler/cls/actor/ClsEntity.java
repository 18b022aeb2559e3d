package dev.baton.scheduler.cls.actor;

import dev.baton.contract.machine.MachineHost;
import dev.baton.scheduler.cls.ClsConfig;
import dev.baton.scheduler.cls.ClsMachine;
import dev.baton.scheduler.cls.ClsMachine.Effect;
import dev.baton.scheduler.cls.ClsMachine.Event;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.request.RequestProtocol;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;

/**
 * Hosts one {@link ClsMachine}. Starts empty wherever sharding puts it and knows its workers within one report interval;
 * requests that are already bound keep their legs.
 */
public final class ClsEntity {

    /** Entity id: the served model's name. */
    public static final EntityTypeKey<ClsProtocol.Command> TYPE_KEY =
            EntityTypeKey.create(ClsProtocol.Command.class, "cls");

    private static final Duration TICK = Duration.ofMillis(100);

    private final MachineHost<ClsMachine.State, Event, Effect, ClsMachine.Refusal> host;
    private final LongSupplier clock;

    private record Tick() implements ClsProtocol.Internal {}

    private record Membership(ClusterEvent.ClusterDomainEvent event) implements ClsProtocol.Internal {}

    /**
     * @param gateway reaches request entities
     * @param clock monotonic nanoseconds
     * @param refusals counts refused reports by reason
     */
    public static Behavior<ClsProtocol.Command> create(
            ClsConfig config, RequestGateway gateway, LongSupplier clock, Consumer<ClsMachine.Refusal> refusals) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), TICK);
            Cluster.get(context.getSystem())
                    .subscriptions()
                    .tell(Subscribe.create(
                            context.messageAdapter(ClusterEvent.ClusterDomainEvent.class, Membership::new),
                            ClusterEvent.ClusterDomainEvent.class));
            return new ClsEntity(context, config, gateway, clock, refusals).behavior();
        }));
    }

    private ClsEntity(
            ActorContext<ClsProtocol.Command> context,
            ClsConfig config,
            RequestGateway gateway,
            LongSupplier clock,
            Consumer<ClsMachine.Refusal> refusals) {
        this.clock = clock;
        this.host = new MachineHost<>(
                ClsMachine::decide,
                ClsMachine.State.empty(config),
                (from, event, to) -> {},
                effect -> run(effect, gateway),
                (refusal, event) -> {
                    refusals.accept(refusal);
                    context.getLog()
                            .debug(
                                    "refused={} event={}",
                                    refusal,
                                    event.getClass().getSimpleName());
                });
    }

    private Behavior<ClsProtocol.Command> behavior() {
        return Behaviors.receiveMessage(message -> {
            long now = clock.getAsLong();
            switch (message) {
                case ClsProtocol.AskRoute ask -> host.handle(new Event.RouteAsked(ask, now));
                case ClsProtocol.ReleaseRoute release ->
                    host.handle(new Event.RouteReleased(release.request(), release.routeAsk(), now));
                case ClsProtocol.Report report -> host.handle(new Event.WorkerReported(report.report(), now));
                case ClsProtocol.WorkerLeaving leaving ->
                    host.handle(new Event.WorkerGone(leaving.worker(), leaving.epoch(), now));
                case ClsProtocol.ReadCluster read -> read.replyTo().tell(view());
                case ClsProtocol.Internal internal -> internal(internal, now);
            }
            return Behaviors.same();
        });
    }

    private void internal(ClsProtocol.Internal message, long now) {
        if (message instanceof Tick) {
            host.handle(new Event.Ticked(now));
        } else if (message instanceof Membership membership) {
            membership(membership.event(), now);
        }
    }

    private void membership(ClusterEvent.ClusterDomainEvent event, long now) {
        if (event instanceof ClusterEvent.MemberRemoved removed) {
            host.handle(new Event.NodeRemoved(removed.member().address().toString(), now));
        } else if (event instanceof ClusterEvent.UnreachableMember doubted) {
            host.handle(new Event.ReachabilityChanged(doubted.member().address().toString(), false, now));
        } else if (event instanceof ClusterEvent.ReachableMember back) {
            host.handle(new Event.ReachabilityChanged(back.member().address().toString(), true, now));
        }
    }

    private ClsProtocol.ClusterView view() {
        ClsMachine.State state = host.state();
        return new ClsProtocol.ClusterView(
                state.workers().values().stream().map(ClsMachine.Worker::report).toList(),
                state.waiting().size(),
                state.bound().size());
    }

    private static void run(Effect effect, RequestGateway gateway) {
        switch (effect) {
            case Effect.Grant grant -> gateway.tell(grant.request(), new RequestProtocol.RouteGranted(grant.grant()));
            case Effect.Refuse refuse ->
                gateway.tell(
                        refuse.request(),
                        new RequestProtocol.RouteRefused(refuse.routeAsk(), refuse.cause(), refuse.retryAfterMillis()));
            case Effect.TellWorkerLost lost ->
                gateway.tell(lost.request(), new RequestProtocol.WorkerLost(lost.worker(), lost.epoch()));
        }
    }
}
