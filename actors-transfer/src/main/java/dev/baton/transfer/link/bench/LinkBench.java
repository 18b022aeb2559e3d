package dev.baton.transfer.link.bench;

import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.LinkConfig;
import dev.baton.transfer.link.LinkMonitor;
import dev.baton.transfer.link.LinkPath;
import dev.baton.transfer.link.ffi.KvMemory;
import dev.baton.transfer.link.ffi.KvRegion;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * Question: what part of a memory copy does a verified K/V transfer reach, and does it beat plain TCP? Were IPC below TCP, the link
 * would not earn its keep; were the credit window the limit, its default would have to grow. Figures are medians of the
 * measured rounds; ratios are to peers of the same run, because absolute numbers of a shared machine mean little.
 */
public final class LinkBench {
    private static final int MIB = 1 << 20;
    private static final int LAYERS = 16;

    private LinkBench() {}

    /**
     * @param totalMib payload of one round
     * @param chunkBytes payload limit of one chunk
     * @param windowBytes byte-credit window
     * @param rounds measured rounds; one more is run before to warm up
     */
    public record Settings(int totalMib, int chunkBytes, long windowBytes, int rounds, LinkConfig link) {
        public static Settings defaults() {
            return new Settings(256, MIB, 8L * MIB, 5, LinkConfig.forNode("bench"));
        }
    }

    /** Bytes a second of one path, each round. */
    public record Figure(String path, List<Double> bytesPerSecond) {
        public Figure {
            bytesPerSecond = List.copyOf(bytesPerSecond);
        }

        public double medianBytesPerSecond() {
            return bytesPerSecond.stream()
                    .sorted()
                    .skip(bytesPerSecond.size() / 2)
                    .findFirst()
                    .orElse(0.0);
        }
    }

    /** Arguments, each optional: total MiB, chunk KiB, window KiB, rounds, term KiB, MTU bytes, UDP window KiB. */
    public static void main(String[] args) throws IOException {
        Settings d = Settings.defaults();
        LinkConfig link = d.link()
                .withBuffers(
                        argument(args, 4, d.link().termBufferBytes() / 1024) * 1024,
                        argument(args, 5, d.link().mtuBytes()),
                        argument(args, 6, d.link().windowBytes() / 1024) * 1024);
        Settings settings = new Settings(
                argument(args, 0, d.totalMib()),
                argument(args, 1, d.chunkBytes() / 1024) * 1024,
                argument(args, 2, (int) (d.windowBytes() / 1024)) * 1024L,
                argument(args, 3, d.rounds()),
                link);
        print(run(settings), settings, new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    /** Measures memory copy, checksum, TCP loopback, IPC and UDP, in this order within each round. */
    public static List<Figure> run(Settings settings) throws IOException {
        TensorAbi abi = new TensorAbi(
                ElementType.BF16, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, LAYERS, 8, 128, 16, Partition.WHOLE);
        int blockCount = Math.toIntExact((long) settings.totalMib() * MIB / LAYERS / abi.layerBlockBytes());
        ChunkPlan plan = ChunkPlan.layerMajor(new TokenInterval(0, blockCount * 16), abi, settings.chunkBytes());
        int[] blocks = IntStream.range(0, blockCount).toArray();
        ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "link-bench");
        try (Arena arena = Arena.ofShared();
                TcpLoopback tcp = new TcpLoopback();
                AeronDataPlane destination = AeronDataPlane.start(settings.link(), LinkMonitor.silent());
                AeronDataPlane local = AeronDataPlane.start(
                        settings.link().withSharedDriver(destination.driverDirectory()), LinkMonitor.silent());
                AeronDataPlane remote = AeronDataPlane.start(settings.link(), LinkMonitor.silent())) {
            KvRegion from = region(arena, plan, blockCount, abi);
            KvRegion to = region(arena, plan, blockCount, abi);
            try (BenchTransfer ipc = new BenchTransfer(
                            system, local, destination, plan, from, to, blocks, settings.windowBytes());
                    BenchTransfer udp = new BenchTransfer(
                            system, remote, destination, plan, from, to, blocks, settings.windowBytes())) {
                Map<String, LongSupplier> paths = new LinkedHashMap<>();
                paths.put("memory copy", () -> copyNanos(from, to));
                paths.put("CRC-32C, one pass", () -> checksumNanos(from));
                paths.put("TCP loopback", () -> tcp.runNanos(from.memory(), to.memory()));
                paths.put("Aeron " + LinkPath.IPC, () -> verified(ipc, from, to));
                paths.put("Aeron " + LinkPath.UDP, () -> verified(udp, from, to));
                return measure(paths, settings.rounds(), plan.payloadBytes());
            }
        } finally {
            system.terminate();
        }
    }

    /** Round by round rather than path by path, so that a neighbour's burst of load meets every path. */
    private static List<Figure> measure(Map<String, LongSupplier> paths, int rounds, long payloadBytes) {
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) {
            for (Map.Entry<String, LongSupplier> path : paths.entrySet()) {
                double rate = payloadBytes * 1e9 / path.getValue().getAsLong();
                if (round > 0) {
                    rates.computeIfAbsent(path.getKey(), name -> new ArrayList<>())
                            .add(rate);
                }
            }
        }
        return rates.entrySet().stream()
                .map(e -> new Figure(e.getKey(), e.getValue()))
                .toList();
    }

    public static void print(List<Figure> figures, Settings settings, PrintStream out) {
        double copy = figures.getFirst().medianBytesPerSecond();
        double tcp = figures.stream()
                .filter(f -> f.path().startsWith("TCP"))
                .mapToDouble(Figure::medianBytesPerSecond)
                .findFirst()
                .orElse(Double.NaN);
        out.printf(
                "measured here: %d MiB a round, chunks of %d KiB, window %d KiB, median of %d rounds; the Aeron paths verify every chunk%n",
                settings.totalMib(), settings.chunkBytes() / 1024, settings.windowBytes() / 1024, settings.rounds());
        out.printf("%-20s %10s %10s %10s%n", "path", "MB/s", "x memcpy", "x TCP");
        for (Figure figure : figures) {
            double rate = figure.medianBytesPerSecond();
            out.printf("%-20s %10.0f %10.3f %10.2f%n", figure.path(), rate / 1e6, rate / copy, rate / tcp);
        }
    }

    private static KvRegion region(Arena arena, ChunkPlan plan, int blockCount, TensorAbi abi) {
        MemorySegment memory = arena.allocate(plan.payloadBytes(), 4096);
        byte[] pattern = new byte[MIB];
        new Random(plan.payloadBytes()).nextBytes(pattern);
        for (long at = 0; at < memory.byteSize(); at += pattern.length) {
            long bytes = Math.min(pattern.length, memory.byteSize() - at);
            MemorySegment.copy(MemorySegment.ofArray(pattern), 0, memory, at, bytes);
        }
        return KvRegion.layerMajor(memory, plan.layers(), blockCount, abi.layerBlockBytes());
    }

    private static long copyNanos(KvRegion from, KvRegion to) {
        long startNanos = System.nanoTime();
        for (long at = 0; at < from.memory().byteSize(); at += MIB) {
            long bytes = Math.min(MIB, from.memory().byteSize() - at);
            MemorySegment.copy(from.memory(), at, to.memory(), at, bytes);
        }
        return System.nanoTime() - startNanos;
    }

    private static long checksumNanos(KvRegion from) {
        CRC32C crc = new CRC32C();
        long startNanos = System.nanoTime();
        for (long at = 0; at < from.memory().byteSize(); at += MIB) {
            KvMemory.updateCrc(crc, from, at, Math.min(MIB, from.memory().byteSize() - at));
        }
        return System.nanoTime() - startNanos;
    }

    private static long verified(BenchTransfer transfer, KvRegion from, KvRegion to) {
        to.memory().asSlice(0, MIB).fill((byte) 0);
        long nanos = transfer.runNanos();
        if (from.memory().mismatch(to.memory()) != -1) {
            throw new IllegalStateException("the transfer arrived with other bytes");
        }
        return nanos;
    }
}
