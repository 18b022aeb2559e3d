package dev.baton.runtime.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.forward.Batch;
import dev.baton.kernels.forward.ForwardPass;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.synth.SyntheticModel;
import dev.baton.runtime.cli.NodeCommands.BenchOptions;
import dev.baton.runtime.node.ServedModel;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The question: how far are the kernels from what this machine can do? Prefill is bound by arithmetic, so it is told as a share
 * of the int8 peak; decode reads all weights and the K/V once a token, so it is told as a share of the read bandwidth. Both limits
 * are measured in the same run with the same threads. If decode reached less than half of the bandwidth, the layout of the
 * weights would have to change; if prefill reached less than half of the peak, the tiles would.
 *
 * <p>Medians of {@value #RUNS} runs; one prompt of {@value #PROMPT} tokens, then {@value #DECODED} single tokens, no sampling,
 * K/V in f32. Without a model file: synthetic weights of the SmolLM2-135M shape in q8_0.
 */
public final class KernelBench {
    private static final int PROMPT = 512;
    private static final int DECODED = 32;
    private static final int RUNS = 7;
    private static final int BLOCKS = (PROMPT + DECODED) / ArenaShape.DEFAULT_BLOCK_TOKENS + 1;

    private KernelBench() {}

    /**
     * @param perSecond tokens per second of wall time, median
     * @param best of the same
     * @param perCpuSecond tokens per second of processor time, median: what neighbours on this machine disturb least
     * @param ofLimit share of the limit at the median; NaN where none applies
     */
    private record Figure(double perSecond, double best, double perCpuSecond, double ofLimit) {}

    private record Row(
            int threads,
            String identity,
            Figure prefill,
            Figure decode,
            double readBytesPerSecond,
            double int8OpsPerSecond) {}

    /** One table or JSON array, a row per thread count. */
    public static void run(BenchOptions options, PrintStream out, ServedModel.Progress progress) {
        List<Row> rows = new ArrayList<>();
        Optional<Path> file = options.overrides().model();
        if (file.isPresent()) {
            try (GgufModel model = GgufModel.open(file.get())) {
                measureAll(model, options.threads(), rows, progress);
            }
        } else {
            measureAll(
                    new SyntheticModel(SyntheticModel.smollm2_135m(), TensorType.Q8_0, 1),
                    options.threads(),
                    rows,
                    progress);
        }
        print(rows, options.json(), out);
    }

    private static void measureAll(
            ModelSource source, List<Integer> threads, List<Row> rows, ServedModel.Progress progress) {
        for (int count : threads) {
            rows.add(measure(source, count, progress));
        }
    }

    private static Row measure(ModelSource source, int threads, ServedModel.Progress progress) {
        LlamaConfig config = source.config();
        if (config.contextTokens() < PROMPT + DECODED) {
            throw new IllegalArgumentException("the model's context of " + config.contextTokens()
                    + " tokens is too short: this benchmark needs " + (PROMPT + DECODED));
        }
        progress.at("packing for " + threads + " threads", 0, 0);
        try (Device device = Device.open(DeviceConfig.auto(threads));
                Model model = Model.upload(device, source);
                KvArena arena = KvArena.create(device, ArenaShape.of(config, BLOCKS));
                ForwardPass pass = new ForwardPass(model, arena, PROMPT, 1)) {
            Samples prefill = new Samples();
            Samples decode = new Samples();
            for (int run = -1; run < RUNS; run++) { // one to warm up
                progress.at("measuring with " + threads + " threads", run + 1, RUNS);
                prefill(pass, run < 0 ? new Samples() : prefill);
                decode(pass, run < 0 ? new Samples() : decode);
            }
            double read = device.measure(Device.Limit.READ_BYTES);
            double int8 = device.measure(Device.Limit.INT8_OPERATIONS);
            double kvBytes = (double) arena.shape().totalBytes()
                    / BLOCKS
                    / ArenaShape.DEFAULT_BLOCK_TOKENS
                    * (PROMPT + DECODED / 2.0);
            boolean quantised = source.tensor(TensorRole.FFN_DOWN, 0).type().blockElements() > 1;
            return new Row(
                    threads,
                    device.numericsIdentity(),
                    prefill.figure(PROMPT, quantised ? matmulOps(config) / int8 : Double.NaN),
                    decode.figure(DECODED, DECODED * (model.packedBytes() + kvBytes) / read),
                    read,
                    int8);
        }
    }

    /** Operations of all matrix multiplications of a prompt: every layer for every row, the output for one. */
    private static double matmulOps(LlamaConfig c) {
        double attention = 2.0 * c.dModel() * c.headDim() * (c.heads() + c.kvHeads());
        double layer = attention + 3.0 * c.dModel() * c.ffnDim();
        return 2 * (PROMPT * c.layers() * layer + (double) c.vocabulary() * c.dModel());
    }

    private static void prefill(ForwardPass pass, Samples samples) {
        Batch batch = new Batch();
        int sequence = batch.addSequence(IntStream.range(0, BLOCKS).toArray());
        for (int i = 0; i < PROMPT; i++) {
            batch.addRow(i * 31 % pass.model().config().vocabulary(), i, sequence);
        }
        samples.time(() -> {
            pass.run(batch);
            pass.logits(new int[] {PROMPT - 1}, 1);
        });
    }

    private static void decode(ForwardPass pass, Samples samples) {
        Batch batch = new Batch();
        int[] table = IntStream.range(0, BLOCKS).toArray();
        int[] row = {0};
        samples.time(() -> {
            for (int i = 0; i < DECODED; i++) {
                batch.clear();
                batch.addRow(i, PROMPT + i, batch.addSequence(table));
                pass.run(batch);
                pass.logits(row, 1);
            }
        });
    }

    /** Wall and processor seconds of repeated runs of one thing. */
    private static final class Samples {
        private final List<Double> wallSeconds = new ArrayList<>();
        private final List<Double> cpuSeconds = new ArrayList<>();

        void time(Runnable body) {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long cpu = system.getProcessCpuTime();
            long wall = System.nanoTime();
            body.run();
            wallSeconds.add((System.nanoTime() - wall) / 1e9);
            cpuSeconds.add((system.getProcessCpuTime() - cpu) / 1e9);
        }

        /** @param limitSeconds what the run would take at the limit */
        Figure figure(int tokens, double limitSeconds) {
            double[] wall = sorted(wallSeconds);
            double[] cpu = sorted(cpuSeconds);
            double median = wall[wall.length / 2];
            return new Figure(tokens / median, tokens / wall[0], tokens / cpu[cpu.length / 2], limitSeconds / median);
        }

        private static double[] sorted(List<Double> values) {
            double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
            Arrays.sort(sorted);
            return sorted;
        }
    }

    private static void print(List<Row> rows, boolean json, PrintStream out) {
        if (json) {
            List<String> objects = new ArrayList<>();
            for (Row row : rows) {
                objects.add(String.format(
                        Locale.ROOT,
                        "{\"threads\":%d,\"identity\":\"%s\",\"prefill\":%s,\"decode\":%s,"
                                + "\"readBytesPerSecond\":%.0f,\"int8OpsPerSecond\":%.0f}",
                        row.threads(),
                        row.identity(),
                        object(PROMPT, row.prefill()),
                        object(DECODED, row.decode()),
                        row.readBytesPerSecond(),
                        row.int8OpsPerSecond()));
            }
            out.println("[" + String.join(",", objects) + "]");
            return;
        }
        out.printf(
                Locale.ROOT,
                "tokens/s: prefill of %d, decode after it; medians of %d runs, measured here%n%n",
                PROMPT,
                RUNS);
        out.printf("%7s  %-8s %9s %9s %9s  %s%n", "threads", "", "median", "best", "per cpu s", "share of the limit");
        for (Row row : rows) {
            line(row.threads(), "prefill", row.prefill(), row.int8OpsPerSecond() / 1e9, "G int8 op/s", out);
            line(row.threads(), "decode", row.decode(), row.readBytesPerSecond() / 1e9, "GB/s read", out);
        }
    }

    private static void line(int threads, String phase, Figure figure, double limit, String unit, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%7d  %-8s %9.1f %9.1f %9.1f  %s%n",
                threads,
                phase,
                figure.perSecond(),
                figure.best(),
                figure.perCpuSecond(),
                Double.isNaN(figure.ofLimit())
                        ? "-"
                        : String.format(Locale.ROOT, "%3.0f %% of %.1f %s", 100 * figure.ofLimit(), limit, unit));
    }

    private static String object(int tokens, Figure figure) {
        return String.format(
                Locale.ROOT,
                "{\"tokens\":%d,\"tokensPerSecond\":%.2f,\"best\":%.2f,\"tokensPerCpuSecond\":%.2f,\"ofLimit\":%s}",
                tokens,
                figure.perSecond(),
                figure.best(),
                figure.perCpuSecond(),
                Double.isNaN(figure.ofLimit()) ? "null" : String.format(Locale.ROOT, "%.4f", figure.ofLimit()));
    }
}
