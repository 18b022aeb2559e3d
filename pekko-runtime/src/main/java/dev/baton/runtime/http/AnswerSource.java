package dev.baton.runtime.http;

import dev.baton.contract.identity.RequestId;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestProtocol.Pulled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output of an answer as a stream. Demand is the only thing that makes it pull: one pull of bounded size at a time for
 * each prompt, so a client that reads slowly holds its position and nothing else.
 */
final class AnswerSource {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerSource.class);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Executor SOON = CompletableFuture.delayedExecutor(250, TimeUnit.MILLISECONDS);

    private final Backend backend;
    private final ApiSettings settings;
    private final BooleanSupplier abandons;

    /** @param abandons whether a request whose reader left is cancelled; not while this node stops */
    AnswerSource(Backend backend, ApiSettings settings, BooleanSupplier abandons) {
        this.backend = backend;
        this.settings = settings;
        this.abandons = abandons;
    }

    /**
     * Everything from the positions on, prompts merged as they come. Requests whose end was not seen are cancelled when the
     * stream ends for whatever reason.
     *
     * @param positions for each prompt the first sequence number wanted
     */
    Source<Piece, NotUsed> from(AnswerId id, List<Integer> positions) {
        Source<Piece, NotUsed> all = ofPrompt(id, 0, positions.get(0));
        for (int prompt = 1; prompt < positions.size(); prompt++) {
            all = all.merge(ofPrompt(id, prompt, positions.get(prompt)), false);
        }
        return all;
    }

    private Source<Piece, NotUsed> ofPrompt(AnswerId id, int prompt, int from) {
        RequestId request = id.request(prompt);
        AtomicBoolean ended = new AtomicBoolean();
        return Source.unfoldAsync(Optional.of(from), (Optional<Integer> position) -> {
                    if (position.isEmpty()) {
                        return CompletableFuture.completedFuture(
                                Optional.<Pair<Optional<Integer>, List<Piece>>>empty());
                    }
                    int next = position.get();
                    return pull(request, next, System.nanoTime() + PATIENCE.toNanos())
                            .thenApply(pulled -> {
                                List<Piece> pieces = pieces(prompt, next, pulled);
                                boolean last = !pulled.known() || pulled.ended() != null;
                                if (last) {
                                    ended.set(true);
                                }
                                Optional<Integer> then = last
                                        ? Optional.empty()
                                        : Optional.of(next + pulled.items().size());
                                return Optional.of(Pair.create(then, pieces));
                            });
                })
                .mapConcat(pieces -> pieces)
                .watchTermination((nothing, done) -> {
                    done.whenComplete((ignored, failure) -> {
                        if (!ended.get() && abandons.getAsBoolean()) {
                            cancel(request);
                        }
                    });
                    return nothing;
                });
    }

    /** A request that moves to another node does not answer for a while; pulling only reads, so it may be repeated. */
    private CompletionStage<Pulled> pull(RequestId request, int from, long giveUpAtNanos) {
        return backend.pull(request, from, settings.pullItems(), settings.keepAliveMillis())
                .exceptionallyCompose(failure -> {
                    if (System.nanoTime() - giveUpAtNanos > 0) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    LOG.warn("request={} pull repeated cause={}", AnswerId.shortName(request), failure.toString());
                    return CompletableFuture.supplyAsync(() -> from, SOON)
                            .thenCompose(again -> pull(request, again, giveUpAtNanos));
                });
    }

    /** Tells the request that nobody waits for it any more. */
    void cancel(RequestId request) {
        backend.cancel(request).whenComplete((cancelled, failure) -> {
            if (failure != null) {
                LOG.warn("request={} cancel failed; its deadline ends it", AnswerId.shortName(request), failure);
            }
        });
    }

    private static List<Piece> pieces(int prompt, int from, Pulled pulled) {
        if (!pulled.known()) {
            return List.of(new Piece.Unknown(prompt));
        }
        List<Piece> pieces = new ArrayList<>();
        int expected = from;
        for (OutputItem item : pulled.items()) {
            if (item.sequence() != expected) {
                throw new IllegalStateException(
                        "output out of order: expected sequence " + expected + ", found " + item.sequence());
            }
            pieces.add(new Piece.Output(prompt, item));
            expected++;
        }
        @Nullable Outcome outcome = pulled.ended();
        if (outcome != null) {
            pieces.add(new Piece.Ended(prompt, outcome, pulled.failure(), pulled.usage()));
        } else if (pieces.isEmpty()) {
            pieces.add(new Piece.Idle());
        }
        return pieces;
    }
}
