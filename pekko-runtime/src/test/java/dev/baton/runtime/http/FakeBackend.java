package dev.baton.runtime.http;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.kernels.template.ChatMessage;
import dev.baton.scheduler.cls.ClsProtocol.ClusterView;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestProtocol.Cancelled;
import dev.baton.scheduler.request.RequestProtocol.Pulled;
import dev.baton.scheduler.request.RequestProtocol.Submitted;
import dev.baton.scheduler.request.RequestProtocol.Trace;
import dev.baton.scheduler.request.RequestSpec;
import dev.baton.scheduler.request.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A cluster that answers by script: what is asked is recorded, what is answered is a function of the specification. */
final class FakeBackend implements Backend {

    static final String MODEL = "fake/model";
    static final int CONTEXT = 64;
    static final int VOCABULARY = 1_000;

    /** What a request will say: all its items at once, then its end; no end means that it hangs. */
    record Script(
            List<OutputItem> items,
            @Nullable Outcome ended,
            @Nullable FailureCause failure) {

        /** Each choice says the words one after the other, and stops. */
        static Script words(int choices, String... words) {
            List<OutputItem> items = new ArrayList<>();
            for (int word = 0; word < words.length; word++) {
                for (int choice = 0; choice < choices; choice++) {
                    FinishReason finish = word == words.length - 1 ? FinishReason.STOP : null;
                    items.add(new OutputItem(items.size(), choice, List.of(7), words[word], finish));
                }
            }
            return new Script(items, Outcome.FINISHED, null);
        }

        static Script failing(FailureCause cause) {
            return new Script(List.of(), Outcome.FAILED, cause);
        }

        static Script hanging(List<OutputItem> items) {
            return new Script(items, null, null);
        }
    }

    final Queue<RequestSpec> submitted = new ConcurrentLinkedQueue<>();
    final Queue<RequestId> cancelled = new ConcurrentLinkedQueue<>();
    final AtomicInteger pulls = new AtomicInteger();
    final AtomicInteger pulling = new AtomicInteger();
    final AtomicInteger mostPulling = new AtomicInteger();
    final AtomicInteger failingPulls = new AtomicInteger();
    volatile Function<RequestSpec, Script> answers = spec -> Script.words(spec.choices(), "Hello", " world");
    volatile Readiness readiness = new Readiness.Ready();
    private final Map<RequestId, Script> scripts = new ConcurrentHashMap<>();
    private final Map<RequestId, RequestSpec> specs = new ConcurrentHashMap<>();

    /** Tokens are characters. A chat is its contents with roles in front. */
    static final PromptText TEXT = new PromptText() {
        @Override
        public int[] encodePrompt(String prompt) {
            return prompt.chars().map(c -> c % VOCABULARY).toArray();
        }

        @Override
        public int[] encodeChat(List<ChatMessage> messages) {
            StringBuilder text = new StringBuilder();
            for (ChatMessage message : messages) {
                if (message.content().equals("refuse me")) {
                    throw new ChatRefused("roles must alternate", new IllegalStateException());
                }
                text.append(message.role().charAt(0)).append(':').append(message.content());
            }
            return encodePrompt(text.toString());
        }

        @Override
        public String decode(List<Integer> tokens) {
            StringBuilder text = new StringBuilder();
            tokens.forEach(token -> text.append((char) token.intValue()));
            return text.toString();
        }

        @Override
        public int vocabulary() {
            return VOCABULARY;
        }
    };

    @Override
    public List<ModelCard> models() {
        return List.of(new ModelCard(new ModelId(MODEL), 1_700_000_000, CONTEXT, TEXT));
    }

    @Override
    public CompletionStage<Submitted> submit(RequestSpec spec) {
        submitted.add(spec);
        specs.put(spec.request(), spec);
        scripts.put(spec.request(), answers.apply(spec));
        return CompletableFuture.completedFuture(new Submitted(true));
    }

    @Override
    public CompletionStage<Pulled> pull(RequestId request, int from, int maxItems, long waitMillis) {
        pulls.incrementAndGet();
        if (failingPulls.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.failedFuture(new TimeoutException("the entity moves"));
        }
        mostPulling.accumulateAndGet(pulling.incrementAndGet(), Math::max);
        Script script = scripts.get(request);
        Pulled pulled;
        if (script == null) {
            pulled = new Pulled(List.of(), null, null, null, false);
        } else {
            int end = Math.min(script.items().size(), from + maxItems);
            List<OutputItem> items = from < end ? script.items().subList(from, end) : List.of();
            boolean all = end == script.items().size();
            Outcome ended = all ? script.ended() : null;
            long tokens = script.items().stream()
                    .mapToLong(item -> item.tokens().size())
                    .sum();
            Usage usage = new Usage(specs.get(request).promptTokens().size(), tokens, 1_000_000, 0);
            pulled = new Pulled(items, ended, all ? script.failure() : null, ended == null ? null : usage, true);
        }
        boolean empty = pulled.known() && pulled.items().isEmpty() && pulled.ended() == null;
        CompletableFuture<Pulled> answer = empty
                ? new CompletableFuture<Pulled>().completeOnTimeout(pulled, waitMillis, TimeUnit.MILLISECONDS)
                : CompletableFuture.completedFuture(pulled);
        return answer.thenApply(done -> {
            pulling.decrementAndGet();
            return done;
        });
    }

    @Override
    public CompletionStage<Cancelled> cancel(RequestId request) {
        cancelled.add(request);
        return CompletableFuture.completedFuture(new Cancelled(true));
    }

    @Override
    public CompletionStage<Trace> trace(RequestId request) {
        boolean known = specs.containsKey(request);
        TransitionRecord record =
                new TransitionRecord("request", "node-1", 1_000, 0, "Created", "Submitted", "Routing", "prompt=3");
        return CompletableFuture.completedFuture(new Trace(known, known ? List.of(record) : List.of()));
    }

    @Override
    public CompletionStage<ClusterView> cluster(ModelId model) {
        return CompletableFuture.completedFuture(new ClusterView(List.of(), 2, 1));
    }

    @Override
    public Readiness ready() {
        return readiness;
    }

    RequestSpec onlySpec() {
        if (submitted.size() != 1) {
            throw new AssertionError("expected one submitted request, found " + submitted.size());
        }
        return submitted.element();
    }
}
