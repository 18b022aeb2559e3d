package dev.baton.runtime.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A running server over HTTP. */
final class ServerClient {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final String DATA = "data: ";
    private static final int OK = 200;

    private final URI base;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(CONNECT).build();

    ServerClient(URI base) {
        this.base = base;
    }

    URI base() {
        return base;
    }

    /** A response of any status, its body as JSON. */
    record Answer(int status, JsonNode body) {}

    /** @throws CliFailure where no server answers */
    Answer get(String path) {
        HttpResponse<String> response = send(
                HttpRequest.newBuilder(base.resolve(path)).timeout(ANSWER).GET().build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Answer(response.statusCode(), parse(response.body()));
    }

    /** The body of a successful answer. */
    JsonNode require(String path) {
        Answer answer = get(path);
        if (answer.status() != OK) {
            throw new CliFailure(problem(answer.status(), answer.body()));
        }
        return answer.body();
    }

    /** Posts, and hands over each event of the stream until it is done. */
    void stream(String path, JsonNode body, Consumer<JsonNode> event) {
        HttpResponse<InputStream> response = send(
                HttpRequest.newBuilder(base.resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            if (response.statusCode() != OK) {
                StringBuilder text = new StringBuilder();
                lines.lines().forEach(text::append);
                throw new CliFailure(problem(response.statusCode(), parse(text.toString())));
            }
            events(lines, event);
        } catch (IOException e) {
            throw new CliFailure("the server at " + base + " broke off the answer: " + e.getMessage(), e);
        }
    }

    private void events(BufferedReader lines, Consumer<JsonNode> event) throws IOException {
        for (@Nullable String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.startsWith(DATA)) {
                continue;
            }
            String data = line.substring(DATA.length());
            if (data.equals("[DONE]")) {
                return;
            }
            JsonNode json = parse(data);
            if (json.has("error")) {
                throw new CliFailure(problem(OK, json));
            }
            event.accept(json);
        }
        throw new CliFailure("the server at " + base + " ended the answer early; look at its log");
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request, handler);
        } catch (ConnectException e) {
            throw new CliFailure(
                    "no server answers at " + base + "; start one with ./baton serve, or name another with --url", e);
        } catch (IOException e) {
            throw new CliFailure("the server at " + base + " does not answer: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliFailure("interrupted", e);
        }
    }

    private JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new CliFailure("what answers at " + base + " is no Baton server; name another with --url", e);
        }
    }

    private static String problem(int status, JsonNode body) {
        String message = body.path("error").path("message").asText("");
        return "the server answers " + status + (message.isEmpty() ? "" : ": " + message);
    }
}
