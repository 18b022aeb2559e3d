package dev.baton.runtime.http;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestSpec;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The cluster as the HTTP node sees it. Called from many threads, never blocks; a stage that fails is answered with status
 * 500. {@link #submit} is called once per request id, then {@link #pull} with at most one call outstanding per connection
 * until it says how the request ended, or {@link #cancel}.
 */
public interface Backend {

    /** Models that are served now, in a stable order. */
    List<ModelCard> models();

    CompletionStage<RequestProtocol.Submitted> submit(RequestSpec spec);

    /** Answered at once when there is output from {@code fromSequence} on, else empty after {@code waitMillis}. */
    CompletionStage<RequestProtocol.Pulled> pull(RequestId request, int fromSequence, int maxItems, long waitMillis);

    CompletionStage<RequestProtocol.Cancelled> cancel(RequestId request);

    CompletionStage<RequestProtocol.Trace> trace(RequestId request);

    CompletionStage<ClsProtocol.ClusterView> cluster(ModelId model);

    /** Ready only after a probe request has passed through a real handoff. */
    Readiness ready();

    /** Whether requests can be served, and if not, why. */
    sealed interface Readiness {
        record Ready() implements Readiness {}

        record NotReady(String reason) implements Readiness {}
    }
}
