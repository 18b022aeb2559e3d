package dev.baton.runtime.http;

import dev.baton.runtime.telemetry.Metrics;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.IncomingConnection;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.apache.pekko.japi.function.Function;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * The bound port. Connections are handled one by one, so that each request knows its connection and hears when it goes,
 * also while nothing is being written to it.
 */
public final class ApiServer {
    private static final Duration IDLE_BEYOND_DEADLINE = Duration.ofMinutes(1);

    private final ServerBinding binding;
    private final SharedKillSwitch connections;
    private final AtomicBoolean stopping;

    private ApiServer(ServerBinding binding, SharedKillSwitch connections, AtomicBoolean stopping) {
        this.binding = binding;
        this.connections = connections;
        this.stopping = stopping;
    }

    /**
     * Binds the port and serves.
     *
     * @param port 0 for any free one
     */
    public static CompletionStage<ApiServer> start(
            ActorSystem<?> system, Backend backend, ApiSettings settings, Metrics metrics, String host, int port) {
        AtomicBoolean stopping = new AtomicBoolean();
        SecureRandom seeds = new SecureRandom();
        Executor tokenizing = system.dispatchers().lookup(DispatcherSelector.blocking());
        AskReader reader = new AskReader(settings, backend::models, seeds::nextLong);
        // A node that stops leaves its requests running: their clients read on at another node.
        AnswerSource source = new AnswerSource(backend, settings, () -> !stopping.get());
        Answers answers =
                new Answers(system, backend, settings, metrics, reader, source, tokenizing, Clock.systemUTC());
        Function<HttpRequest, CompletionStage<HttpResponse>> handler =
                new ApiRoutes(backend, metrics, answers).route().function(system);
        SharedKillSwitch connections = KillSwitches.shared("http-connections");
        ServerSettings serverSettings = serverSettings(system, settings);
        return Http.get(system)
                .newServerAt(host, port)
                .withSettings(serverSettings)
                .connectionSource()
                .mapAsyncUnordered(
                        serverSettings.getMaxConnections(),
                        connection -> handle(connection, handler, connections, system))
                .toMat(Sink.ignore(), Keep.left())
                .run(system)
                .thenApply(binding -> new ApiServer(binding, connections, stopping));
    }

    public int port() {
        return binding.localAddress().getPort();
    }

    /** Stops accepting, and closes every connection without cancelling what it waited for. */
    public CompletionStage<Done> stop() {
        stopping.set(true);
        return binding.unbind().thenApply(done -> {
            connections.shutdown();
            return done;
        });
    }

    private static CompletionStage<Done> handle(
            IncomingConnection connection,
            Function<HttpRequest, CompletionStage<HttpResponse>> handler,
            SharedKillSwitch connections,
            ActorSystem<?> system) {
        ClientConnection client = new ClientConnection();
        Flow<HttpRequest, HttpResponse, CompletionStage<Done>> flow = Flow.<HttpRequest>create()
                .via(connections.<HttpRequest>flow())
                .watchTermination((nothing, done) -> done)
                .map(request -> request.addAttribute(ClientConnection.KEY, client))
                .mapAsync(1, handler);
        return connection
                .handleWith(flow, org.apache.pekko.stream.Materializer.matFromSystem(system))
                .handle((done, failure) -> {
                    client.wentAway();
                    return Done.getInstance();
                });
    }

    private static ServerSettings serverSettings(ActorSystem<?> system, ApiSettings settings) {
        ServerSettings base = ServerSettings.create(system.classicSystem());
        Duration idle = Duration.ofMillis(settings.deadlineMillis()).plus(IDLE_BEYOND_DEADLINE);
        return base.withTimeouts(base.getTimeouts()
                        .withRequestTimeout(scala.concurrent.duration.Duration.Inf())
                        .withIdleTimeout(scala.concurrent.duration.Duration.fromNanos(idle.toNanos())))
                // One more than is answered at a time keeps the connection read, which is how its end shows.
                .withPipeliningLimit(2);
    }
}
