package dev.baton.runtime.telemetry;

import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.Outcome;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every metric of a node. Safe for use by many threads; a call costs well under a microsecond. */
public final class Metrics {

    /** A worker's blocks at the moment. */
    public record Blocks(long free, long reserved) {}

    /** A data plane's counts since it started. */
    public record Chunks(long sent, long received, long duplicate, long wireBytesSent) {}

    private static final double NANOS = 1e9;
    private static final double[] LATENCY_SECONDS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
    };
    private static final double[] PACE_SECONDS = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2};
    private static final double[] SHORT_SECONDS = {
        0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5
    };

    private final PrometheusRegistry registry = new PrometheusRegistry();

    private final Counter httpRequests =
            counter("baton_http_requests", "HTTP responses by route and status.", "route", "status");
    private final Gauge httpInFlight = gauge("baton_http_in_flight", "HTTP requests being answered.", "route");
    private final Counter requests =
            counter("baton_requests", "Requests that ended, by outcome and cause.", "outcome", "cause");
    private final Histogram requestSeconds =
            histogram("baton_request_seconds", "Admission to end of a request.", LATENCY_SECONDS);
    private final Histogram ttft =
            histogram("baton_ttft_seconds", "Admission to first token, as the client sees it.", LATENCY_SECONDS);
    private final Histogram tpot =
            histogram("baton_tpot_seconds", "Time per token after the first, as the client sees it.", PACE_SECONDS);
    private final Histogram stall =
            histogram("baton_exposed_stall_seconds", "Handoff time that decode had to wait for.", SHORT_SECONDS);
    private final Counter tokens = counter("baton_tokens", "Tokens of ended requests.", "kind");
    private final Counter refusals =
            counter("baton_refusals", "Events refused by a machine, by reason.", "machine", "reason");
    private final Counter transferBytes =
            counter("baton_transfer_bytes", "K/V bytes handed over: logical content, and on the wire.", "kind");
    private final Counter published =
            counter("baton_transfers_published", "Transfers that ended in PUBLISHED, at their destination.");
    private final Map<String, Supplier<Blocks>> workers = new ConcurrentHashMap<>();
    private final Gauge credits = gauge("baton_credits_in_flight_bytes", "Credit taken and not returned.", "worker");

    public Metrics() {
        GaugeWithCallback.builder()
                .name("baton_kv_blocks")
                .help("K/V blocks by state.")
                .labelNames("worker", "state")
                .callback(callback -> workers.forEach((worker, blocks) -> {
                    Blocks now = blocks.get();
                    callback.call((double) now.free(), worker, "free");
                    callback.call((double) now.reserved(), worker, "reserved");
                }))
                .register(registry);
    }

    public void httpStarted(String route) {
        httpInFlight.labelValues(route).inc();
    }

    public void httpEnded(String route, int status) {
        httpInFlight.labelValues(route).dec();
        httpRequests.labelValues(route, Integer.toString(status)).inc();
    }

    /**
     * Adds to the requests that ended.
     *
     * @param cause set where the outcome is FAILED
     */
    public void requestEnded(Outcome outcome, @Nullable FailureCause cause, long durationNanos) {
        requests.labelValues(label(outcome), cause == null ? "none" : label(cause))
                .inc();
        requestSeconds.observe(durationNanos / NANOS);
    }

    public void firstToken(long ttftNanos) {
        ttft.observe(ttftNanos / NANOS);
    }

    public void tokenPace(long tpotNanos) {
        tpot.observe(tpotNanos / NANOS);
    }

    public void exposedStall(long exposedStallNanos) {
        stall.observe(exposedStallNanos / NANOS);
    }

    public void tokens(long promptTokens, long completionTokens) {
        tokens.labelValues("prompt").inc(promptTokens);
        tokens.labelValues("completion").inc(completionTokens);
    }

    /**
     * A machine refused an event.
     *
     * @param machine its name, such as {@code transfer-destination}
     */
    public void refusal(String machine, Enum<?> reason) {
        refusals.labelValues(machine, label(reason)).inc();
    }

    public void transferBytes(long logicalKvBytes, long wireBytes) {
        transferBytes.labelValues("logical").inc(logicalKvBytes);
        transferBytes.labelValues("wire").inc(wireBytes);
    }

    /** One handoff was published: all its chunks are visible, and decode may read them. */
    public void published() {
        published.inc();
    }

    public void creditsInFlight(WorkerId worker, long bytes) {
        credits.labelValues(worker.value()).set((double) bytes);
    }

    /** Asked for at each scrape. */
    public void watchBlocks(WorkerId worker, Supplier<Blocks> blocks) {
        workers.put(worker.value(), blocks);
    }

    /** Asked for at each scrape; once per process. */
    public void watchChunks(Supplier<Chunks> chunks) {
        CounterWithCallback.builder()
                .name("baton_chunks")
                .help("Chunks by how far they came on this data plane.")
                .labelNames("event")
                .callback(callback -> {
                    Chunks now = chunks.get();
                    callback.call((double) now.sent(), "sent");
                    callback.call((double) now.received(), "received");
                    callback.call((double) now.duplicate(), "duplicate");
                })
                .register(registry);
        CounterWithCallback.builder()
                .name("baton_wire_bytes_sent")
                .help("Header and payload bytes handed to the transport.")
                .callback(callback -> callback.call((double) chunks.get().wireBytesSent()))
                .register(registry);
    }

    /** Everything in the Prometheus text format, version 0.0.4. */
    public byte[] exposition() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Counter counter(String name, String help, String... labels) {
        return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private Gauge gauge(String name, String help, String... labels) {
        return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
    }

    private Histogram histogram(String name, String help, double[] upperSeconds) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(upperSeconds)
                .register(registry);
    }
}
