package dev.baton.scheduler.request.actor;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.machine.Decision;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.request.Progress;
import dev.baton.scheduler.request.RequestEffect;
import dev.baton.scheduler.request.RequestEvent;
import dev.baton.scheduler.request.RequestMachine;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestProtocol.Command;
import dev.baton.scheduler.request.RequestState;
import dev.baton.scheduler.request.Vocabulary;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.Effect;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/** One request, sharded by its id. See the package for its life. */
public final class RequestEntity extends EventSourcedBehavior<Command, RequestJournal, Story> {

    public static final EntityTypeKey<Command> TYPE_KEY = EntityTypeKey.create(Command.class, "request");

    /**
     * What every request of a node shares.
     *
     * @param vocabularies of the served models
     * @param routes sends to the model's cluster-level scheduler
     * @param epochNanos time since the epoch; does not run backwards while the node lives
     * @param where name of this node in traces
     * @param observer told of ends and refusals, for metrics
     */
    public record Ports(
            Function<ModelId, Vocabulary> vocabularies,
            BiConsumer<ModelId, ClsProtocol.Command> routes,
            LongSupplier epochNanos,
            String where,
            RequestObserver observer) {}

    private record Due() implements RequestProtocol.Internal {}

    private record PullExpired(long pull) implements RequestProtocol.Internal {}

    private record Quiet() implements RequestProtocol.Internal {}

    private record CameBack() implements RequestProtocol.Internal {}

    /** Sent by the shard before it lets the entity go. */
    private record Stop() implements RequestProtocol.Internal {}

    private final RequestId id;
    private final RequestSettings settings;
    private final Ports ports;
    private final ActorContext<Command> context;
    private final TimerScheduler<Command> timers;
    private final Runnable passivate;
    private final LegCalls legs;
    private final ParkedPulls parked;

    /** Makes request entities available on this node. */
    public static ActorRef<?> init(ClusterSharding sharding, RequestSettings settings, Ports ports) {
        return sharding.init(Entity.of(
                        TYPE_KEY,
                        entity -> create(
                                new RequestId(entity.getEntityId()),
                                settings,
                                ports,
                                self -> entity.getShard().tell(new ClusterSharding.Passivate<>(self))))
                .withStopMessage(new Stop()));
    }

    /** @param passivate asks whoever hosts the entity to stop it by the message that it is given */
    static Behavior<Command> create(
            RequestId id,
            RequestSettings settings,
            Ports ports,
            java.util.function.Consumer<ActorRef<Command>> passivate) {
        return Behaviors.setup(context ->
                Behaviors.withTimers(timers -> new RequestEntity(id, settings, ports, context, timers, passivate)));
    }

    static Command stopMessage() {
        return new Stop();
    }

    private RequestEntity(
            RequestId id,
            RequestSettings settings,
            Ports ports,
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            java.util.function.Consumer<ActorRef<Command>> passivate) {
        super(
                PersistenceId.of(TYPE_KEY.name(), id.value()),
                SupervisorStrategy.restartWithBackoff(Duration.ofMillis(200), Duration.ofSeconds(5), 0.2));
        this.id = id;
        this.settings = settings;
        this.ports = ports;
        this.context = context;
        this.timers = timers;
        this.passivate = () -> passivate.accept(context.getSelf());
        this.legs = new LegCalls(ports.routes());
        this.parked = new ParkedPulls(settings.maxParkedPulls());
    }

    @Override
    public Story emptyState() {
        return new Story(new RequestMachine(settings.limits(), ports.vocabularies()), settings.maxTraceRecords());
    }

    @Override
    public EventHandler<Story, RequestJournal> eventHandler() {
        return Story::apply;
    }

    @Override
    public SignalHandler<Story> signalHandler() {
        return newSignalHandlerBuilder()
                .onSignal(RecoveryCompleted.instance(), this::recovered)
                .build();
    }

    private void recovered(Story story) {
        switch (story.state()) {
            case RequestState.New fresh -> restartQuietTimer();
            case RequestState.Ended ended -> restartQuietTimer();
            case RequestState.Open open -> context.getSelf().tell(new CameBack());
        }
    }

    @Override
    public CommandHandler<Command, RequestJournal, Story> commandHandler() {
        return (story, command) -> handle(story, command);
    }

    private Effect<RequestJournal, Story> handle(Story story, Command command) {
        long now = ports.epochNanos().getAsLong();
        return switch (command) {
            case RequestProtocol.Submit submit -> submit(story, submit, now);
            case RequestProtocol.Pull pull -> pull(story, pull);
            case RequestProtocol.Cancel cancel -> {
                boolean known = !(story.state() instanceof RequestState.New);
                yield decide(
                        story,
                        new RequestEvent.CancelRequested(now),
                        () -> cancel.replyTo().tell(new RequestProtocol.Cancelled(known)));
            }
            case RequestProtocol.ReadTrace read -> {
                boolean known = !(story.state() instanceof RequestState.New);
                read.replyTo().tell(new RequestProtocol.Trace(known, story.trace()));
                restartQuietTimer();
                yield Effect().none();
            }
            case RequestProtocol.TransitionsReported reported ->
                story.state() instanceof RequestState.New
                                || reported.transitions().isEmpty()
                        ? Effect().none()
                        : Effect()
                                .persist(new RequestJournal.Commentary(RequestJournal.VERSION, reported.transitions()));
            case RequestProtocol.RouteGranted m -> decide(story, new RequestEvent.RouteGranted(m.grant(), now));
            case RequestProtocol.RouteRefused m ->
                decide(story, new RequestEvent.RouteRefused(m.routeAsk(), m.cause(), now));
            case RequestProtocol.WorkerLost m -> decide(story, new RequestEvent.WorkerLost(m.worker(), m.epoch(), now));
            case RequestProtocol.DecodeReserved m ->
                decide(story, new RequestEvent.DecodeReserved(m.fence(), m.manifest(), m.endpoint(), now));
            case RequestProtocol.ColocatedAccepted m ->
                decide(story, new RequestEvent.ColocatedAccepted(m.fence(), now));
            case RequestProtocol.LegRefused m ->
                decide(story, new RequestEvent.LegRefused(m.fence(), m.leg(), m.reason(), now));
            case RequestProtocol.PrefillAccepted m -> decide(story, new RequestEvent.PrefillAccepted(m.fence(), now));
            case RequestProtocol.FirstTokens m ->
                decide(story, new RequestEvent.FirstTokens(m.fence(), m.tokenIndex(), m.tokens(), now));
            case RequestProtocol.KvPublished m ->
                decide(story, new RequestEvent.KvPublished(m.fence(), m.exposedStallNanos(), now));
            case RequestProtocol.TokensProduced m ->
                decide(story, new RequestEvent.TokensProduced(m.fence(), m.choice(), m.firstIndex(), m.tokens(), now));
            case RequestProtocol.LegFailed m ->
                decide(story, new RequestEvent.LegFailed(m.fence(), m.leg(), m.cause(), now));
            case RequestProtocol.Internal internal -> internal(story, internal, now);
        };
    }

    private Effect<RequestJournal, Story> internal(Story story, RequestProtocol.Internal message, long now) {
        if (message instanceof Due) {
            // A due timer that fires a little early must not be the last one.
            return decide(story, new RequestEvent.Ticked(now), () -> startDueTimer(story));
        }
        if (message instanceof CameBack) {
            return decide(story, new RequestEvent.Recovered(now));
        }
        if (message instanceof PullExpired(long pull)) {
            parked.expire(pull, story);
            return Effect().none();
        }
        if (message instanceof Quiet) {
            if (!(story.state() instanceof RequestState.Open)) {
                passivate.run();
            }
            return Effect().none();
        }
        return Effect().stop();
    }

    private Effect<RequestJournal, Story> submit(Story story, RequestProtocol.Submit submit, long now) {
        Optional<Progress> known = progress(story.state());
        boolean accepted = submit.spec().request().equals(id)
                && known.map(p -> p.spec().equals(submit.spec())).orElse(true);
        if (!accepted || known.isPresent()) {
            submit.replyTo().tell(new RequestProtocol.Submitted(accepted));
            return Effect().none();
        }
        return decide(
                story,
                new RequestEvent.Submitted(submit.spec(), now),
                () -> submit.replyTo().tell(new RequestProtocol.Submitted(true)));
    }

    private Effect<RequestJournal, Story> pull(Story story, RequestProtocol.Pull pull) {
        restartQuietTimer();
        Duration wait = Duration.ofMillis(pull.waitMillis()).compareTo(settings.maxPullWait()) < 0
                ? Duration.ofMillis(pull.waitMillis())
                : settings.maxPullWait();
        parked.answerOrPark(pull, story).ifPresent(key -> timers.startSingleTimer(key, new PullExpired(key), wait));
        return Effect().none();
    }

    private Effect<RequestJournal, Story> decide(Story story, RequestEvent event) {
        return decide(story, event, () -> {});
    }

    /** @param answer runs whether or not anything changed, after it is journaled */
    private Effect<RequestJournal, Story> decide(Story story, RequestEvent event, Runnable answer) {
        return switch (story.decide(event)) {
            case Decision.Moved<RequestState, RequestEffect, RequestMachine.Refusal> moved ->
                Effect()
                        .persist(new RequestJournal.Adopted(RequestJournal.VERSION, ports.where(), event))
                        .thenRun(next -> {
                            adopted(next);
                            answer.run();
                        });
            case Decision.Ignored<RequestState, RequestEffect, RequestMachine.Refusal> ignored ->
                Effect().none().thenRun(next -> answer.run());
            case Decision.Refused<RequestState, RequestEffect, RequestMachine.Refusal> refused -> {
                ports.observer().refused(refused.reason());
                context.getLog()
                        .warn(
                                "request={} refused={} event={} state={}",
                                id,
                                refused.reason(),
                                event.getClass().getSimpleName(),
                                story.state().getClass().getSimpleName());
                yield Effect().none().thenRun(next -> answer.run());
            }
        };
    }

    private void adopted(Story story) {
        List<RequestEffect> effects = story.effects();
        progress(story.state()).ifPresent(p -> effects.forEach(effect -> legs.run(effect, p.spec())));
        startDueTimer(story);
        parked.answerReady(story).forEach(timers::cancel);
        if (story.state() instanceof RequestState.Ended ended
                && effects.stream().anyMatch(e -> e instanceof RequestEffect.TellEnded)) {
            ports.observer()
                    .ended(ended.outcome(), ended.failure(), ended.progress().usage());
            restartQuietTimer();
        }
    }

    private void startDueTimer(Story story) {
        OptionalLong due = RequestMachine.dueAtNanos(story.state());
        if (due.isEmpty()) {
            timers.cancel(Due.class);
            return;
        }
        long delayNanos =
                Math.max(1_000_000, due.getAsLong() - ports.epochNanos().getAsLong());
        timers.startSingleTimer(Due.class, new Due(), Duration.ofNanos(delayNanos));
    }

    private void restartQuietTimer() {
        timers.startSingleTimer(Quiet.class, new Quiet(), settings.passivateAfter());
    }

    static Optional<Progress> progress(RequestState state) {
        return switch (state) {
            case RequestState.New fresh -> Optional.empty();
            case RequestState.Open open -> Optional.of(open.progress());
            case RequestState.Ended ended -> Optional.of(ended.progress());
        };
    }
}
