package dev.baton.runtime.bench;

import com.typesafe.config.ConfigFactory;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.cli.NodeCommands.BenchOptions;
import dev.baton.runtime.cli.NodeCommands.SynthOptions;
import dev.baton.runtime.node.Node;
import dev.baton.runtime.node.NodeLauncher;
import dev.baton.runtime.node.NodeSettings;
import dev.baton.runtime.node.ServedModel;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The question: how much of a handoff does a request have to wait for, and how does moving its K/V compare with memcpy and with
 * TCP loopback of the same bytes? If the exposed stall grew with the prompt, layers would not leave while later layers
 * compute; if the wire took longer than TCP, the data plane would not earn its keep.
 *
 * <p>One process, a prefill and a decode worker with a thread each, Aeron between them, a synthetic model of the
 * SmolLM2-135M shape. Figures are medians of {@value #RUNS} requests, measured here.
 */
public final class HandoffBench {
    private static final int RUNS = 5;
    private static final long SEED = 7;
    private static final Duration WAIT = Duration.ofMinutes(5);
    private static final Path MODEL = Path.of(".baton/models/smollm2-135m-q8_0.gguf");

    private HandoffBench() {}

    /** Medians for one prompt length, nanoseconds and bytes. */
    private record Row(
            int promptTokens,
            long logicalKvBytes,
            long payloadBytes,
            long wireBytes,
            long prefillNanos,
            long transferNanos,
            long exposedStallNanos,
            long memcpyNanos,
            long tcpNanos) {

        /** Share of the transfer that ran while the prompt was still being computed. */
        double overlap() {
            return transferNanos == 0 ? 0 : Math.max(0, 1 - (double) exposedStallNanos / transferNanos);
        }
    }

    /** @return whether every request ended well */
    public static boolean run(BenchOptions options, PrintStream out, ServedModel.Progress progress) {
        Path model = options.overrides().model().orElse(MODEL);
        if (!Files.exists(model)) {
            NodeLauncher.synthesize(new SynthOptions("smollm2-135m", "q8_0", SEED, model), progress);
        }
        NodeSettings settings = NodeSettings.of(ConfigFactory.parseMap(Map.of(
                "baton.model.file",
                model.toString(),
                "baton.journal.kind",
                "memory",
                "baton.http.port",
                0,
                "baton.worker.device.threads",
                1,
                "baton.worker.kv.memory",
                "512 MiB")));
        List<Row> rows = new ArrayList<>();
        try (Node node = Node.start(settings, progress)) {
            node.awaitReady(WAIT);
            for (int promptTokens : options.promptTokens()) {
                measure(node, promptTokens, 0);
                rows.add(row(node, promptTokens, progress));
            }
        }
        if (options.json()) {
            printJson(rows, out);
        } else {
            printTable(rows, out);
        }
        return true;
    }

    private static Row row(Node node, int promptTokens, ServedModel.Progress progress) {
        long[] prefill = new long[RUNS];
        long[] transfer = new long[RUNS];
        long[] stall = new long[RUNS];
        Map<String, Long> last = Map.of();
        for (int run = 0; run < RUNS; run++) {
            progress.at("measuring " + promptTokens + " tokens", run, RUNS);
            last = measure(node, promptTokens, run + 1);
            prefill[run] = last.getOrDefault("computedNanos", 0L);
            transfer[run] = last.getOrDefault("transferNanos", 0L);
            stall[run] = last.getOrDefault("exposedStallNanos", 0L);
        }
        long payload = last.getOrDefault("payloadBytes", 0L);
        try {
            return new Row(
                    promptTokens,
                    last.getOrDefault("logicalKvBytes", 0L),
                    payload,
                    last.getOrDefault("wireBytes", 0L),
                    ByteMovers.median(prefill),
                    ByteMovers.median(transfer),
                    ByteMovers.median(stall),
                    ByteMovers.memcpyNanos(payload),
                    ByteMovers.tcpNanos(payload));
        } catch (IOException e) {
            throw new UncheckedIOException("the TCP peer failed", e);
        }
    }

    /** Sends one request and reads its amounts back from its own trace. */
    private static Map<String, Long> measure(Node node, int promptTokens, int run) {
        SplittableRandom random = new SplittableRandom(SEED * 31 + promptTokens * 7L + run);
        List<Integer> prompt = new ArrayList<>();
        while (prompt.size() < promptTokens) {
            prompt.add(random.nextInt(300, node.vocabulary()));
        }
        RequestId id = new RequestId("bench-" + UUID.randomUUID());
        RequestSpec spec = new RequestSpec(
                new TenantId("bench"),
                id,
                node.model(),
                prompt,
                4,
                1,
                List.of(),
                true,
                SamplingParams.greedy(),
                false,
                System.currentTimeMillis() * 1_000,
                WAIT.toMillis());
        join(node.backend().submit(spec));
        int next = 0;
        RequestProtocol.Pulled pulled;
        do {
            pulled = join(node.backend().pull(id, next, 16, 10_000));
            next += pulled.items().size();
        } while (pulled.ended() == null);
        return amounts(node, id);
    }

    private static Map<String, Long> amounts(Node node, RequestId id) {
        Map<String, Long> amounts = new HashMap<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!amounts.containsKey("wireBytes") || !amounts.containsKey("exposedStallNanos")) {
            List<TransitionRecord> records = join(node.backend().trace(id)).transitions();
            amounts.put("transferNanos", transferNanos(records));
            for (TransitionRecord record : records) {
                for (String pair : record.detail().split(" ")) {
                    int equals = pair.indexOf('=');
                    if (equals > 0 && pair.substring(equals + 1).matches("\\d+")) {
                        amounts.merge(pair.substring(0, equals), Long.parseLong(pair.substring(equals + 1)), Math::max);
                    }
                }
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the trace of " + id + " lacks amounts; it has " + amounts.keySet());
            }
        }
        return amounts;
    }

    /** First chunk received to publication, both by the destination's clock; 0 while either is missing. */
    private static long transferNanos(List<TransitionRecord> records) {
        long firstMicros = 0;
        long publishedMicros = 0;
        for (TransitionRecord record : records) {
            if (record.machine().equals("transfer-destination")) {
                if (record.to().equals("Transferring") && firstMicros == 0) {
                    firstMicros = record.atEpochMicros();
                }
                if (record.to().equals("Published")) {
                    publishedMicros = record.atEpochMicros();
                }
            }
        }
        return firstMicros == 0 || publishedMicros == 0 ? 0 : (publishedMicros - firstMicros) * 1_000;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(WAIT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static void printTable(List<Row> rows, PrintStream out) {
        out.println("handoff: SmolLM2-135M shape, q8_0 weights, f32 K/V, one thread a phase, medians of " + RUNS
                + ", measured here");
        out.printf(
                Locale.ROOT,
                "%8s %12s %10s %11s %12s %9s %8s %10s %8s %12s %10s%n",
                "tokens",
                "logical MiB",
                "wire MiB",
                "prefill ms",
                "transfer ms",
                "stall ms",
                "overlap",
                "memcpy ms",
                "TCP ms",
                "stall/memcpy",
                "stall/TCP");
        for (Row row : rows) {
            out.printf(
                    Locale.ROOT,
                    "%8d %12.2f %10.2f %11.2f %12.2f %9.2f %7.1f%% %10.2f %8.2f %12.2f %10.2f%n",
                    row.promptTokens(),
                    row.logicalKvBytes() / 1048576.0,
                    row.wireBytes() / 1048576.0,
                    row.prefillNanos() / 1e6,
                    row.transferNanos() / 1e6,
                    row.exposedStallNanos() / 1e6,
                    100 * row.overlap(),
                    row.memcpyNanos() / 1e6,
                    row.tcpNanos() / 1e6,
                    (double) row.exposedStallNanos() / row.memcpyNanos(),
                    (double) row.exposedStallNanos() / row.tcpNanos());
        }
        out.println(
                "transfer: first chunk received to publication, most of it while the prompt still computes; stall: what decode waited for;"
                        + " memcpy and TCP: the same bytes moved by themselves.");
    }

    private static void printJson(List<Row> rows, PrintStream out) {
        StringBuilder json = new StringBuilder("[");
        for (Row row : rows) {
            json.append(json.length() > 1 ? "," : "")
                    .append(String.format(
                            Locale.ROOT,
                            "{\"promptTokens\":%d,\"logicalKvBytes\":%d,\"payloadBytes\":%d,\"wireBytes\":%d,"
                                    + "\"prefillNanos\":%d,\"transferNanos\":%d,\"exposedStallNanos\":%d,"
                                    + "\"overlap\":%.4f,\"memcpyNanos\":%d,\"tcpNanos\":%d}",
                            row.promptTokens(),
                            row.logicalKvBytes(),
                            row.payloadBytes(),
                            row.wireBytes(),
                            row.prefillNanos(),
                            row.transferNanos(),
                            row.exposedStallNanos(),
                            row.overlap(),
                            row.memcpyNanos(),
                            row.tcpNanos()));
        }
        out.println(json.append(']'));
    }
}
