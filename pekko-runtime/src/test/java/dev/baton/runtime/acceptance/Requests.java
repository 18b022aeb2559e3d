package dev.baton.runtime.acceptance;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.http.Backend;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestSpec;
import dev.baton.scheduler.request.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Requests as HTTP makes them, but with their token ids in view. */
final class Requests {
    private Requests() {}

    /** Everything a client can see of one answer. */
    record Answer(
            Outcome outcome,
            List<String> texts,
            List<List<Integer>> tokens,
            List<@Nullable FinishReason> finishes,
            long promptTokens,
            long completionTokens) {}

    static RequestSpec spec(
            Node node,
            List<Integer> prompt,
            int maxTokens,
            int choices,
            List<String> stops,
            boolean ignoreEos,
            SamplingParams sampling) {
        return new RequestSpec(
                new TenantId("test"),
                new RequestId("test-" + UUID.randomUUID()),
                node.model(),
                prompt,
                maxTokens,
                choices,
                stops,
                ignoreEos,
                sampling,
                false,
                System.currentTimeMillis() * 1_000,
                120_000);
    }

    static List<Integer> greedy(Node node, List<Integer> prompt, int tokens) {
        Answer answer = run(node.backend(), spec(node, prompt, tokens, 1, List.of(), true, SamplingParams.greedy()));
        if (answer.outcome() != Outcome.FINISHED) {
            throw new AssertionError("request ended " + answer);
        }
        return answer.tokens().getFirst();
    }

    static Answer run(Backend backend, RequestSpec spec) {
        RequestProtocol.Submitted submitted = join(backend.submit(spec));
        if (!submitted.accepted()) {
            throw new AssertionError("not accepted: " + spec.request());
        }
        return read(backend, spec);
    }

    /** Reads a request's whole output from its beginning. */
    static Answer read(Backend backend, RequestSpec spec) {
        List<StringBuilder> texts = new ArrayList<>();
        List<List<Integer>> tokens = new ArrayList<>();
        List<@Nullable FinishReason> finishes = new ArrayList<>();
        for (int choice = 0; choice < spec.choices(); choice++) {
            texts.add(new StringBuilder());
            tokens.add(new ArrayList<>());
            finishes.add(null);
        }
        int next = 0;
        while (true) {
            RequestProtocol.Pulled pulled = join(backend.pull(spec.request(), next, 64, 1_000));
            for (OutputItem item : pulled.items()) {
                if (item.sequence() != next) {
                    throw new AssertionError("item " + item.sequence() + " where " + next + " was due");
                }
                next++;
                texts.get(item.choice()).append(item.text());
                tokens.get(item.choice()).addAll(item.tokens());
                if (item.finish() != null) {
                    finishes.set(item.choice(), item.finish());
                }
            }
            Outcome ended = pulled.ended();
            if (ended != null) {
                Usage usage = pulled.usage();
                return new Answer(
                        ended,
                        texts.stream().map(StringBuilder::toString).toList(),
                        tokens,
                        finishes,
                        usage == null ? -1 : usage.promptTokens(),
                        usage == null ? -1 : usage.completionTokens());
            }
        }
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(60, java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }
}
