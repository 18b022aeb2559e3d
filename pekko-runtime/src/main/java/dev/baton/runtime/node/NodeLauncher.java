package dev.baton.runtime.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.model.gguf.GgufWriter;
import dev.baton.kernels.model.gguf.SyntheticVocabulary;
import dev.baton.kernels.synth.SyntheticModel;
import dev.baton.runtime.bench.HandoffBench;
import dev.baton.runtime.bench.KernelBench;
import dev.baton.runtime.cli.NodeCommands;
import dev.baton.scheduler.worker.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Carries out what the command line asks of this process. */
public final class NodeLauncher implements NodeCommands {
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(2);

    @Override
    public int serve(ServeOptions options) {
        Config command = ConfigFactory.empty();
        if (options.mode() == Mode.COLOCATED) {
            command = command.withFallback(
                    ConfigFactory.parseString("baton.workers = [{ name = colocated-0, role = colocated }]"));
        }
        if (options.host().isPresent()) {
            command = command.withValue(
                    "baton.http.host",
                    ConfigValueFactory.fromAnyRef(options.host().get()));
        }
        if (options.httpPort().isPresent()) {
            command = command.withValue(
                    "baton.http.port",
                    ConfigValueFactory.fromAnyRef(options.httpPort().get()));
        }
        return runUntilStopped(settings(command, options.overrides()));
    }

    @Override
    public int node(NodeOptions options) {
        Config command = ConfigFactory.parseMap(Map.of(
                "baton.node.name", options.name(),
                "baton.node.data-dir", options.dataDir().toString(),
                "baton.cluster.port", options.arteryPort(),
                "baton.cluster.seeds", List.of(options.seed())));
        command = command.withFallback(
                switch (options.role()) {
                    case HTTP ->
                        ConfigFactory.parseMap(Map.of(
                                "baton.node.roles", List.of("control"),
                                "baton.workers", List.of(),
                                "baton.http.port", options.httpPort().orElse(0)));
                    case PREFILL -> worker(options.name(), Role.PREFILL);
                    case DECODE -> worker(options.name(), Role.DECODE);
                    case COLOCATED -> worker(options.name(), Role.COLOCATED);
                });
        return runUntilStopped(settings(command, options.overrides()));
    }

    private static Config worker(String name, Role role) {
        return ConfigFactory.parseMap(Map.of(
                "baton.node.roles",
                List.of("worker"),
                "baton.workers",
                List.of(Map.of("name", name, "role", role.name().toLowerCase(Locale.ROOT)))));
    }

    /** {@code --set} over {@code --model} over the command's own settings over {@code --config}. */
    static NodeSettings settings(Config command, Overrides overrides) {
        Config over = command;
        if (overrides.model().isPresent()) {
            over = ConfigFactory.empty()
                    .withValue(
                            "baton.model.file",
                            ConfigValueFactory.fromAnyRef(
                                    overrides.model().get().toString()))
                    .withFallback(over);
        }
        for (String setting : overrides.settings()) {
            try {
                over = ConfigFactory.parseString("baton." + setting).withFallback(over);
            } catch (ConfigException e) {
                throw new IllegalArgumentException("--set " + setting + ": " + e.getMessage(), e);
            }
        }
        return overrides.config().isPresent()
                ? NodeSettings.load(overrides.config().get(), over)
                : NodeSettings.of(over);
    }

    private static int runUntilStopped(NodeSettings settings) {
        ProgressLine progress = new ProgressLine(System.err);
        Node node = Node.start(settings, progress::at);
        AtomicBoolean asked = new AtomicBoolean();
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("baton-stop").unstarted(() -> {
                    asked.set(true);
                    node.close();
                }));
        progress.at("joining the cluster", 0, 0);
        if (settings.isControl() && settings.seeds().isEmpty()) {
            node.awaitReady(READY_TIMEOUT);
            progress.done("ready: http://" + settings.http().host() + ':' + node.httpPort() + "  model " + node.model()
                    + "  (a probe went through prefill, handoff and decode)");
        } else {
            progress.done("up: " + settings.name() + " at " + node.clusterAddress()
                    + (node.httpPort() == 0 ? "" : "  http://" + settings.http().host() + ':' + node.httpPort()));
        }
        node.whenEnded().toCompletableFuture().join();
        if (asked.get()) {
            return SUCCESS;
        }
        // The others removed this node and its epoch is over: whoever supervises the process starts it again.
        progress.done("ended: " + settings.name() + " is no member of the cluster any more");
        return FAILURE;
    }

    @Override
    public int bench(BenchOptions options) {
        ProgressLine progress = new ProgressLine(System.err);
        return switch (options.what()) {
            case "handoff" -> HandoffBench.run(options, System.out, progress::at) ? SUCCESS : FAILURE;
            case "kernels" -> {
                KernelBench.run(options, System.out, progress::at);
                yield SUCCESS;
            }
            default ->
                throw new IllegalArgumentException(
                        "unknown benchmark " + options.what() + "; there are handoff and kernels");
        };
    }

    @Override
    public int synthesize(SynthOptions options) {
        synthesize(options, new ProgressLine(System.err)::at);
        return SUCCESS;
    }

    /** Writes a model of random weights; the same options give the same file. */
    public static void synthesize(SynthOptions options, ServedModel.Progress progress) {
        LlamaConfig shape = switch (options.shape().toLowerCase(Locale.ROOT)) {
            case "smollm2-135m" -> SyntheticModel.smollm2_135m();
            case "tinyllama-1.1b" -> SyntheticModel.tinyllama_1_1b();
            case "tiny" -> SyntheticModel.tiny();
            default ->
                throw new IllegalArgumentException(
                        "unknown shape \"" + options.shape() + "\"; there are smollm2-135m, tinyllama-1.1b and tiny");
        };
        TensorType type;
        try {
            type = TensorType.valueOf(options.type().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "unknown type \"" + options.type() + "\"; there are f32, f16, bf16, q8_0 and q4_0", e);
        }
        Path output = options.output().toAbsolutePath();
        try {
            Files.createDirectories(output.getParent());
            GgufWriter.write(
                    output,
                    "synthetic-" + options.shape() + '-' + options.type(),
                    new SyntheticModel(shape, type, options.seed()),
                    SyntheticVocabulary.of(shape.vocabulary()),
                    (done, total) -> progress.at("writing " + output.getFileName(), done, total));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("writing " + output + " failed: " + e.getMessage(), e);
        }
    }
}
