package dev.baton.kernels.forward;

import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvArena;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.synth.SyntheticModel;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Question: how far is the cpu backend from the machine's limits? Prefill is bound by arithmetic (compare tokens/s with another
 * engine on this machine), decode by reading the weights once per token (compare the bandwidth with the machine's). If decode
 * read less than half of what memory gives, the layout would have to change. All weights are synthetic.
 */
public final class ForwardBench {
    private static final int PROMPT = 512;
    private static final int DECODED = 32;

    private ForwardBench() {}

    /**
     * @param args shape ({@code smollm2-135m} or {@code tinyllama-1.1b}), tensor type, threads, runs, instruction set; all
     *     optional, in this order
     */
    public static void main(String[] args) {
        String shape = args.length > 0 ? args[0] : "smollm2-135m";
        TensorType type = TensorType.valueOf(args.length > 1 ? args[1].toUpperCase(Locale.ROOT) : "Q8_0");
        int threads = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        int runs = args.length > 3 ? Integer.parseInt(args[3]) : 5;
        DeviceConfig.Isa isa = DeviceConfig.Isa.valueOf(args.length > 4 ? args[4].toUpperCase(Locale.ROOT) : "AUTO");
        LlamaConfig config = switch (shape) {
            case "smollm2-135m" -> SyntheticModel.smollm2_135m();
            case "tinyllama-1.1b" -> SyntheticModel.tinyllama_1_1b();
            default -> throw new IllegalArgumentException("unknown shape " + shape);
        };
        int blocks = (PROMPT + DECODED) / ArenaShape.DEFAULT_BLOCK_TOKENS + 1;
        try (Device device = Device.open(DeviceConfig.cpu(isa, threads));
                Model model = Model.upload(device, new SyntheticModel(config, type, 1));
                KvArena arena = KvArena.create(device, ArenaShape.of(config, blocks));
                ForwardPass pass = new ForwardPass(model, arena, PROMPT, 1)) {
            System.out.printf(
                    "%s %s, %s, %d threads, %d MB packed, synthetic weights, %d runs%n",
                    shape, type, device.numericsIdentity(), threads, model.packedBytes() / 1_000_000, runs);
            double[] prefill = new double[runs];
            double[] decode = new double[runs];
            double[] prefillCpu = new double[runs];
            double[] decodeCpu = new double[runs];
            for (int run = -1; run < runs; run++) { // one to warm up
                long cpu = callerCpuNanos();
                double p = prefillTokensPerSecond(pass, blocks);
                long between = callerCpuNanos();
                double d = decodeTokensPerSecond(pass, blocks);
                if (run >= 0) {
                    prefill[run] = p;
                    decode[run] = d;
                    prefillCpu[run] = PROMPT * 1e9 / (between - cpu);
                    decodeCpu[run] = DECODED * 1e9 / (callerCpuNanos() - between);
                }
            }
            print("prefill " + PROMPT, prefill, "");
            if (threads == 1) { // on a busy machine the wall clock measures the neighbours
                print("  by CPU time", prefillCpu, "");
            }
            // A decode step reads every packed weight once, and of an untied embedding only one row.
            double gigabytes = model.packedBytes() / 1e9;
            print(
                    "decode at " + PROMPT,
                    decode,
                    String.format(", weights read at %.1f GB/s", median(decode) * gigabytes));
            if (threads == 1) {
                print(
                        "  by CPU time",
                        decodeCpu,
                        String.format(", weights read at %.1f GB/s", median(decodeCpu) * gigabytes));
            }
        }
    }

    private static long callerCpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double prefillTokensPerSecond(ForwardPass pass, int blocks) {
        Batch batch = new Batch();
        int sequence = batch.addSequence(IntStream.range(0, blocks).toArray());
        for (int i = 0; i < PROMPT; i++) {
            batch.addRow(i * 31 % pass.model().config().vocabulary(), i, sequence);
        }
        long start = System.nanoTime();
        pass.run(batch);
        pass.logits(new int[] {PROMPT - 1}, 1);
        return PROMPT * 1e9 / (System.nanoTime() - start);
    }

    private static double decodeTokensPerSecond(ForwardPass pass, int blocks) {
        Batch batch = new Batch();
        int[] table = IntStream.range(0, blocks).toArray();
        int[] row = {0};
        long start = System.nanoTime();
        for (int i = 0; i < DECODED; i++) {
            batch.clear();
            batch.addRow(i, PROMPT + i, batch.addSequence(table));
            pass.run(batch);
            pass.logits(row, 1);
        }
        return DECODED * 1e9 / (System.nanoTime() - start);
    }

    private static void print(String what, double[] tokensPerSecond, String more) {
        double best = Arrays.stream(tokensPerSecond).max().orElseThrow();
        double worst = Arrays.stream(tokensPerSecond).min().orElseThrow();
        System.out.printf(
                "%-14s median %.1f tokens/s (worst %.1f, best %.1f)%s%n",
                what, median(tokensPerSecond), worst, best, more);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
