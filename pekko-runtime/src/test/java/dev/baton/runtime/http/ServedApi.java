package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.telemetry.Metrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** A real server on a free loopback port before a fake cluster, and a plain client. */
final class ServedApi implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    final FakeBackend backend = new FakeBackend();
    final Metrics metrics = new Metrics();
    final ApiServer server;
    private final ActorSystem<Void> system;
    private final HttpClient client = HttpClient.newHttpClient();

    ServedApi(ApiSettings settings) {
        system = ActorSystem.create(
                Behaviors.empty(),
                "http-test",
                ConfigFactory.parseString("pekko.loglevel = WARNING\npekko.actor.provider = local")
                        .withFallback(ConfigFactory.load()));
        server = ApiServer.start(system, backend, settings, metrics, "127.0.0.1", 0)
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    /** Small numbers, so that limits are reached and keep-alives come soon. */
    static ApiSettings settings() {
        ApiSettings base = ApiSettings.defaults();
        return new ApiSettings(base.tenant(), false, 16_384, 2_000, 16, 3, 4, 16, 32, 60_000, 8, 100, 1);
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    HttpResponse<String> post(String path, String body) {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    HttpResponse<String> post(String path, byte[] body, UnaryOperator<HttpRequest.Builder> more) {
        return send(more.apply(HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofByteArray(body))));
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    /** Data lines of a server-sent event stream. */
    static List<String> data(String stream) {
        return lines(stream, "data: ");
    }

    static List<String> ids(String stream) {
        return lines(stream, "id: ");
    }

    private static List<String> lines(String stream, String prefix) {
        List<String> found = new ArrayList<>();
        for (String line : stream.split("\n", -1)) {
            if (line.startsWith(prefix)) {
                found.add(line.substring(prefix.length()));
            }
        }
        return found;
    }

    @Override
    public void close() {
        client.close();
        server.stop().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
        system.terminate();
        system.getWhenTerminated()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }
}
