package dev.baton.runtime.http;

import dev.baton.contract.identity.RequestId;
import dev.baton.runtime.telemetry.Metrics;
import dev.baton.scheduler.request.RequestProtocol.Submitted;
import dev.baton.scheduler.request.RequestSpec;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a body to a response. The status of a stream is decided by its first sign: a request that is refused before any
 * output gets an honest status, later failures are an event of the stream.
 */
final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
    private static final int NANOS_PER_MICRO = 1_000;

    private final ActorSystem<?> system;
    private final Backend backend;
    private final ApiSettings settings;
    private final Metrics metrics;
    private final Executor tokenizing;
    private final Clock clock;
    private final AskReader reader;
    private final BodyReader bodies;
    private final AnswerSource source;

    /** @param tokenizing where bodies are parsed and prompts tokenized, which takes CPU time */
    Answers(
            ActorSystem<?> system,
            Backend backend,
            ApiSettings settings,
            Metrics metrics,
            AskReader reader,
            AnswerSource source,
            Executor tokenizing,
            Clock clock) {
        this.system = system;
        this.backend = backend;
        this.settings = settings;
        this.metrics = metrics;
        this.reader = reader;
        this.source = source;
        this.tokenizing = tokenizing;
        this.clock = clock;
        this.bodies = new BodyReader(system, settings);
    }

    /** A new request. Never fails: what goes wrong is a response. */
    CompletionStage<HttpResponse> answer(AnswerId.Kind kind, HttpRequest request, ClientConnection client) {
        long startNanos = System.nanoTime();
        CompletionStage<byte[]> body;
        try {
            body = bodies.read(request);
        } catch (ApiError.Refused e) {
            return CompletableFuture.completedFuture(Responses.error(e.error()));
        }
        return body.thenApplyAsync(
                        bytes -> switch (kind) {
                            case CHAT -> reader.chat(bytes);
                            case COMPLETION -> reader.completion(bytes);
                        },
                        tokenizing)
                .thenCompose(ask -> begin(ask, client, startNanos))
                .exceptionally(Responses::failure);
    }

    /** The rest of a streamed answer, from the position on. */
    CompletionStage<HttpResponse> resume(
            AnswerId id, String model, boolean includeUsage, StreamPosition position, ClientConnection client) {
        ChunkWriter writer = new ChunkWriter(new AnswerShape(id, model), List.of(), includeUsage, position, settings);
        AnswerMeter meter = new AnswerMeter(new Metrics(), System.nanoTime());
        return stream(id, position.next(), writer, meter, client).exceptionally(Responses::failure);
    }

    private CompletionStage<HttpResponse> begin(Ask ask, ClientConnection client, long startNanos) {
        Instant now = clock.instant();
        AnswerId id =
                AnswerId.mint(ask.kind(), now.getEpochSecond(), ask.prompts().size(), ask.choices());
        long micros = Math.addExact(now.getEpochSecond() * 1_000_000, now.getNano() / NANOS_PER_MICRO);
        List<RequestSpec> specs = ask.specs(id, settings, micros);
        AnswerShape shape = new AnswerShape(id, ask.model().id().value());
        AnswerMeter meter = new AnswerMeter(metrics, startNanos);
        StreamPosition start = StreamPosition.start(specs.size());
        return submit(specs).thenCompose(ignored -> {
            if (!ask.stream()) {
                return whole(id, new WholeAnswer(shape, ask, settings), meter, client);
            }
            List<String> echoes = ask.prompts().stream().map(Ask.Prompt::echo).toList();
            ChunkWriter writer = new ChunkWriter(shape, echoes, ask.includeUsage(), start, settings);
            return stream(id, start.next(), writer, meter, client);
        });
    }

    /** All or none: where one is not accepted, the others are cancelled. */
    private CompletionStage<@Nullable Void> submit(List<RequestSpec> specs) {
        List<CompletableFuture<Submitted>> answers = new ArrayList<>();
        for (RequestSpec spec : specs) {
            answers.add(backend.submit(spec)
                    .thenApply(submitted -> {
                        if (!submitted.accepted()) {
                            throw new IllegalStateException(
                                    "request id already in use: " + AnswerId.shortName(spec.request()));
                        }
                        return submitted;
                    })
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        specs.forEach(spec -> source.cancel(spec.request()));
                    }
                });
    }

    private CompletionStage<HttpResponse> whole(
            AnswerId id, WholeAnswer answer, AnswerMeter meter, ClientConnection client) {
        SharedKillSwitch clientGone = KillSwitches.shared("client-gone");
        ClientConnection.Listener listener = client.onGone(clientGone::shutdown);
        List<Integer> start = StreamPosition.start(id.prompts()).next();
        return metered(source.from(id, start), meter)
                .via(clientGone.flow())
                .runWith(Sink.foreach(answer::add), system)
                .whenComplete((done, failure) -> listener.close())
                .thenApply(done -> withId(id, Responses.json(200, answer.json())));
    }

    private CompletionStage<HttpResponse> stream(
            AnswerId id, List<Integer> positions, ChunkWriter writer, AnswerMeter meter, ClientConnection client) {
        SharedKillSwitch clientGone = KillSwitches.shared("client-gone");
        ClientConnection.Listener listener = client.onGone(clientGone::shutdown);
        return metered(source.from(id, positions), meter)
                .via(clientGone.flow())
                .prefixAndTail(1)
                .runWith(Sink.head(), system)
                .thenApply(opened -> withId(id, opened(id, opened, writer, listener)))
                .whenComplete((response, failure) -> {
                    if (failure != null) {
                        listener.close();
                    }
                });
    }

    private HttpResponse opened(
            AnswerId id,
            Pair<List<Piece>, Source<Piece, NotUsed>> opened,
            ChunkWriter writer,
            ClientConnection.Listener listener) {
        List<Piece> head = opened.first();
        @Nullable ApiError refused = head.isEmpty() ? ApiError.cancelled() : beforeAnyOutput(id, head.getFirst());
        if (refused != null) {
            listener.close();
            opened.second().runWith(Sink.cancelled(), system);
            return Responses.error(refused);
        }
        Source<ByteString, NotUsed> events = Source.from(head)
                .concat(opened.second())
                .takeWhile(piece -> !ChunkWriter.isBad(piece), true)
                .mapConcat(writer::write)
                .recover(new PFBuilder<Throwable, ByteString>()
                        .matchAny(failure -> {
                            LOG.error("request={} stream failed", AnswerId.shortName(id.request(0)), failure);
                            return ChunkWriter.error(ApiError.internal());
                        })
                        .build())
                .watchTermination((nothing, done) -> {
                    done.whenComplete((ignored, failure) -> listener.close());
                    return nothing;
                });
        return Responses.events(events);
    }

    private @Nullable ApiError beforeAnyOutput(AnswerId id, Piece first) {
        return switch (first) {
            case Piece.Ended ended -> ChunkWriter.failure(ended, settings);
            case Piece.Unknown(int prompt) ->
                ApiError.requestNotFound(id.request(prompt).value());
            case Piece.Idle idle -> null;
            case Piece.Output output -> null;
        };
    }

    private static Source<Piece, NotUsed> metered(Source<Piece, NotUsed> pieces, AnswerMeter meter) {
        return pieces.map(piece -> {
            meter.saw(piece, System.nanoTime());
            return piece;
        });
    }

    private static HttpResponse withId(AnswerId id, HttpResponse response) {
        RequestId first = id.request(0);
        return response.addHeader(RawHeader.create("X-Request-Id", first.value()));
    }
}
