package dev.baton.runtime.worker;

import com.typesafe.config.Config;
import dev.baton.kernels.arena.ArenaShape;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.scheduler.mls.actor.WorkerConfig;
import dev.baton.transfer.link.LinkConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * {@code baton.worker} and {@code baton.transfer}, for one model and one process.
 *
 * @param quantizedCompute activations of quantised matrices (docs/adr/0006)
 * @param kvType format of K and V in the arena and on the wire
 * @param creditWindowBytes byte credits of one link (§0x06B)
 * @param reportInterval pace of the reports to the cluster-level scheduler (§0x08F)
 */
public record WorkerSettings(
        DeviceConfig device,
        QuantizedCompute quantizedCompute,
        KvType kvType,
        WorkerConfig worker,
        LinkConfig link,
        long creditWindowBytes,
        Duration reportInterval) {

    /**
     * @param workersHere workers of this process, which share its cores
     * @param nodeName names the driver's directory
     */
    public static WorkerSettings of(Config baton, LlamaConfig model, int workersHere, String nodeName) {
        Config worker = baton.getConfig("worker");
        Config transfer = baton.getConfig("transfer");
        int blockTokens = worker.getInt("kv.block-tokens");
        KvType type = choice("worker.kv.element-type", worker.getString("kv.element-type"), KvType.values());
        ArenaShape one = new ArenaShape(model.layers(), 1, model.kvHeads(), blockTokens, model.headDim(), type);
        long blocks = worker.getBytes("kv.memory") / one.totalBytes();
        if (blocks < 2) {
            throw new IllegalArgumentException("baton.worker.kv.memory holds " + blocks + " blocks of "
                    + one.totalBytes() + " bytes; give it at least " + 2 * one.totalBytes() + " bytes");
        }
        return new WorkerSettings(
                device(worker.getConfig("device"), workersHere),
                choice(
                        "worker.device.quantized-compute",
                        worker.getString("device.quantized-compute"),
                        QuantizedCompute.values()),
                type,
                numbers(worker, transfer, Math.toIntExact(blocks)),
                link(transfer.getConfig("aeron"), nodeName),
                transfer.getBytes("credit-window"),
                worker.getDuration("report-interval"));
    }

    private static DeviceConfig device(Config device, int workersHere) {
        int threads = device.getInt("threads");
        int perWorker = Math.max(1, Runtime.getRuntime().availableProcessors() / Math.max(1, workersHere));
        return new DeviceConfig(
                choice("worker.device.backend", device.getString("backend"), DeviceConfig.Backend.values()),
                choice("worker.device.isa", device.getString("isa"), DeviceConfig.Isa.values()),
                threads == 0 ? perWorker : threads,
                device.getBoolean("pin"));
    }

    private static WorkerConfig numbers(Config worker, Config transfer, int arenaBlocks) {
        return new WorkerConfig(
                arenaBlocks,
                worker.getInt("kv.block-tokens"),
                worker.getInt("batch.max-rows"),
                worker.getInt("batch.prefill-budget-tokens"),
                transfer.getBytes("chunk-payload"),
                worker.getInt("max-prefill-legs"),
                worker.getInt("max-decode-legs"),
                worker.getInt("batch.max-sequences"),
                worker.getDuration("deadline.transfer"),
                worker.getDuration("deadline.quiesce"),
                worker.getDuration("deadline.silence"),
                worker.getDuration("deadline.drain"),
                worker.getDuration("tick"),
                worker.getInt("remembered-fences"),
                worker.getInt("records-per-leg"));
    }

    private static LinkConfig link(Config aeron, String nodeName) {
        int term = Math.toIntExact(aeron.getBytes("term-buffer"));
        LinkConfig link = LinkConfig.forNode(nodeName)
                .withUdp(aeron.getString("host"), aeron.getInt("port"))
                .withBuffers(term, aeron.getInt("mtu"), Math.min(term / 2, 4 << 20));
        String directory = aeron.getString("directory");
        return directory.isEmpty() ? link : link.withSharedDriver(Path.of(directory));
    }

    private static <E extends Enum<E>> E choice(String key, String text, E[] values) {
        for (E value : values) {
            if (value.name().equals(text.toUpperCase(Locale.ROOT))) {
                return value;
            }
        }
        throw new IllegalArgumentException("baton." + key + " must be one of "
                + java.util.Arrays.toString(values).toLowerCase(Locale.ROOT) + ", found \"" + text + "\"");
    }
}
