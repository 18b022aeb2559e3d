package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.contract.identity.RequestId;
import dev.baton.runtime.telemetry.Metrics;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpMethod;
import org.apache.pekko.http.javadsl.model.HttpMethods;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.ExceptionHandler;
import org.apache.pekko.http.javadsl.server.PathMatchers;
import org.apache.pekko.http.javadsl.server.RejectionHandler;
import org.apache.pekko.http.javadsl.server.Route;

/** Which URL does what. Every response of every route, errors included, is JSON or an event stream as OpenAI has it. */
public final class ApiRoutes extends AllDirectives {
    private static final int MAX_REQUEST_ID_CHARS = 128;

    private final Backend backend;
    private final Metrics metrics;
    private final Answers answers;

    ApiRoutes(Backend backend, Metrics metrics, Answers answers) {
        this.backend = backend;
        this.metrics = metrics;
        this.answers = answers;
    }

    Route route() {
        Route known = concat(
                path(
                        PathMatchers.segment("v1").slash("chat").slash("completions"),
                        () -> only(HttpMethods.POST, "chat", r -> answers.answer(AnswerId.Kind.CHAT, r, client(r)))),
                path(
                        PathMatchers.segment("v1").slash("completions"),
                        () -> only(
                                HttpMethods.POST,
                                "completions",
                                r -> answers.answer(AnswerId.Kind.COMPLETION, r, client(r)))),
                path(
                        PathMatchers.segment("v1").slash("models"),
                        () -> only(
                                HttpMethods.GET,
                                "models",
                                r -> now(Responses.json(200, Views.models(backend.models()))))),
                path(
                        PathMatchers.segment("v1").slash("models").slash(PathMatchers.remaining()),
                        id -> only(HttpMethods.GET, "models", r -> now(model(decoded(id))))),
                path(
                        PathMatchers.segment("v1")
                                .slash("requests")
                                .slash(PathMatchers.segment())
                                .slash("stream"),
                        id -> only(HttpMethods.GET, "resume", r -> resume(id, r))),
                path(
                        PathMatchers.segment("health").slash("live"),
                        () -> only(HttpMethods.GET, "live", r -> now(Responses.json(200, status("live"))))),
                path(
                        PathMatchers.segment("health").slash("ready"),
                        () -> only(HttpMethods.GET, "ready", r -> now(ready()))),
                path("metrics", () -> only(HttpMethods.GET, "metrics", r -> now(exposition()))),
                path(
                        PathMatchers.segment("admin")
                                .slash("v1")
                                .slash("requests")
                                .slash(PathMatchers.segment())
                                .slash("trace"),
                        id -> only(HttpMethods.GET, "trace", r -> trace(id))),
                path(
                        PathMatchers.segment("admin").slash("v1").slash("cluster"),
                        () -> only(HttpMethods.GET, "cluster", r -> cluster())),
                extractRequest(r -> complete(Responses.error(
                        ApiError.unknownRoute(r.method().value(), r.getUri().path())))));
        ExceptionHandler exceptions = ExceptionHandler.newBuilder()
                .matchAny(failure -> complete(Responses.failure(failure)))
                .build();
        RejectionHandler rejections = RejectionHandler.newBuilder()
                .handleNotFound(extractRequest(r -> complete(Responses.error(
                        ApiError.unknownRoute(r.method().value(), r.getUri().path())))))
                .build();
        return known.seal(rejections, exceptions);
    }

    /** The work of one route under its one method, counted. */
    private Route only(HttpMethod method, String name, Function<HttpRequest, CompletionStage<HttpResponse>> work) {
        return extractRequest(request -> {
            if (!request.method().equals(method)) {
                ApiError error = ApiError.methodNotAllowed(request.method().value(), method.value());
                return complete(Responses.error(error).addHeader(RawHeader.create("Allow", method.value())));
            }
            metrics.httpStarted(name);
            CompletionStage<HttpResponse> response;
            try {
                response = work.apply(request);
            } catch (RuntimeException e) {
                response = CompletableFuture.failedFuture(e);
            }
            return completeWithFuture(response.exceptionally(Responses::failure).thenApply(answer -> {
                metrics.httpEnded(name, answer.status().intValue());
                return answer;
            }));
        });
    }

    /** Model names may have slashes, which clients send as they are or escaped; the rest of a path comes undecoded. */
    private static String decoded(String rest) {
        return URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private HttpResponse model(String name) {
        return backend.models().stream()
                .filter(card -> card.id().value().equals(name))
                .findFirst()
                .map(card -> Responses.json(200, Views.model(card)))
                .orElseThrow(() -> ApiError.modelNotFound(name, served()));
    }

    private String served() {
        return String.join(
                ", ", backend.models().stream().map(card -> card.id().value()).toList());
    }

    private CompletionStage<HttpResponse> resume(String text, HttpRequest request) {
        AnswerId id = AnswerId.parse(text).orElseThrow(() -> new ApiError.Refused(ApiError.requestNotFound(text)));
        String model = request.getUri().query().get("model").orElseGet(() -> onlyModel());
        boolean includeUsage = request.getUri()
                .query()
                .get("include_usage")
                .map("true"::equals)
                .orElse(false);
        Optional<String> last = request.getHeader("Last-Event-ID").map(HttpHeader::value);
        StreamPosition position = last.isEmpty()
                ? StreamPosition.start(id.prompts())
                : StreamPosition.parse(last.get(), id.prompts())
                        .orElseThrow(() -> ApiError.invalid(
                                "Last-Event-ID", "invalid_value", "Last-Event-ID is no event id of this stream."));
        return answers.resume(id, model, includeUsage, position, client(request));
    }

    /** The journal of output does not name the model; with one model served there is no question. */
    private String onlyModel() {
        List<ModelCard> models = backend.models();
        if (models.size() != 1) {
            throw ApiError.invalid("model", "missing_field", "Several models are served; add ?model=NAME to the URL.");
        }
        return models.getFirst().id().value();
    }

    private HttpResponse ready() {
        return switch (backend.ready()) {
            case Backend.Readiness.Ready ready -> Responses.json(200, status("ready"));
            case Backend.Readiness.NotReady(String reason) ->
                Responses.json(503, status("not_ready").put("reason", reason));
        };
    }

    private HttpResponse exposition() {
        return HttpResponse.create()
                .withEntity(HttpEntities.create(
                        ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8"), metrics.exposition()));
    }

    private CompletionStage<HttpResponse> trace(String text) {
        boolean valid = text.length() <= MAX_REQUEST_ID_CHARS && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (!valid || text.isEmpty()) {
            throw new ApiError.Refused(ApiError.requestNotFound(text));
        }
        RequestId request = new RequestId(text);
        return backend.trace(request)
                .thenApply(trace -> trace.known()
                        ? Responses.json(200, Views.trace(request, trace))
                        : Responses.error(ApiError.requestNotFound(text)));
    }

    private CompletionStage<HttpResponse> cluster() {
        ObjectNode view = switch (backend.ready()) {
            case Backend.Readiness.Ready ready -> status("ready");
            case Backend.Readiness.NotReady(String reason) ->
                status("not_ready").put("reason", reason);
        };
        ArrayNode models = view.putArray("models");
        CompletionStage<List<ObjectNode>> views = CompletableFuture.completedFuture(new ArrayList<>());
        for (ModelCard card : backend.models()) {
            views = views.thenCombine(backend.cluster(card.id()), (list, cluster) -> {
                list.add(Views.cluster(card, cluster));
                return list;
            });
        }
        return views.thenApply(list -> {
            models.addAll(list);
            return Responses.json(200, view);
        });
    }

    private static ClientConnection client(HttpRequest request) {
        return request.getAttribute(ClientConnection.KEY).orElseGet(ClientConnection::new);
    }

    private static ObjectNode status(String word) {
        return JsonNodeFactory.instance.objectNode().put("status", word);
    }

    private static CompletionStage<HttpResponse> now(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
