package dev.baton.runtime.node;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.http.Backend;
import dev.baton.runtime.http.Backend.Readiness;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestSpec;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ready means: a request has gone the whole way, through route, prefill, handoff and decode, since this node started. A probe of
 * two tokens is tried until one succeeds; nothing else makes the node ready, so "Ready" never stands over a broken path.
 */
final class ReadinessProbe implements AutoCloseable {

    private static final TenantId TENANT = new TenantId("probe");
    private static final long PROBE_TIMEOUT_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 250;

    private final Backend backend;
    private final ModelId model;
    private final Thread prober;
    private final CountDownLatch passed = new CountDownLatch(1);
    private volatile Readiness state = new Readiness.NotReady("no probe has finished yet");
    private volatile boolean closed;

    ReadinessProbe(Backend backend, ModelId model) {
        this.backend = backend;
        this.model = model;
        this.prober = Thread.ofVirtual().name("readiness-probe").unstarted(this::probeUntilPassed);
    }

    void start() {
        prober.start();
    }

    Readiness state() {
        return state;
    }

    /** @return whether the probe passed in time */
    boolean await(long timeoutMillis) throws InterruptedException {
        return passed.await(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private void probeUntilPassed() {
        try {
            while (!closed) {
                String problem = probe();
                if (problem.isEmpty()) {
                    state = new Readiness.Ready();
                    passed.countDown();
                    return;
                }
                state = new Readiness.NotReady(problem);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return what went wrong, empty when the probe came back */
    private String probe() throws InterruptedException {
        RequestId request = new RequestId("probe-" + UUID.randomUUID());
        RequestSpec spec = new RequestSpec(
                TENANT,
                request,
                model,
                List.of(0, 1, 2),
                2,
                1,
                List.of(),
                true,
                SamplingParams.greedy(),
                false,
                System.currentTimeMillis() * 1_000,
                PROBE_TIMEOUT_MILLIS);
        try {
            backend.submit(spec).toCompletableFuture().get(PROBE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            int next = 0;
            while (true) {
                RequestProtocol.Pulled pulled = backend.pull(request, next, 16, PROBE_TIMEOUT_MILLIS)
                        .toCompletableFuture()
                        .get(2 * PROBE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
                next += pulled.items().size();
                Outcome ended = pulled.ended();
                if (ended != null) {
                    return ended == Outcome.FINISHED ? "" : "the probe request ended " + ended + " " + pulled.failure();
                }
            }
        } catch (java.util.concurrent.ExecutionException | CompletionException e) {
            return "the probe request failed: " + e.getCause();
        } catch (TimeoutException e) {
            return "the probe request did not come back within " + PROBE_TIMEOUT_MILLIS + " ms";
        }
    }

    @Override
    public void close() {
        closed = true;
        prober.interrupt();
    }
}
