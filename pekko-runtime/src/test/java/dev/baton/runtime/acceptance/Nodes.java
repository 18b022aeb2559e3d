package dev.baton.runtime.acceptance;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.node.Node;
import dev.baton.runtime.node.NodeSettings;
import java.time.Duration;
import java.util.Map;

/** Starts whole nodes in this JVM on free ports, with a journal that ends with them. */
final class Nodes {
    private Nodes() {}

    static final Config TEST = ConfigFactory.parseMap(Map.of(
            "baton.journal.kind", "memory",
            "baton.http.port", 0,
            "baton.worker.device.threads", 1,
            "baton.worker.kv.memory", "64 MiB",
            "baton.transfer.aeron.term-buffer", "2 MiB",
            "baton.transfer.chunk-payload", "64 KiB",
            "baton.transfer.credit-window", "256 KiB"));

    /** One prefill and one decode worker in one process: the default topology. */
    static Node disaggregated(Config more) {
        return start(more);
    }

    static Node colocated(Config more) {
        return start(more.withFallback(
                ConfigFactory.parseString("baton.workers = [{ name = colocated-0, role = colocated }]")));
    }

    static Config model(String file) {
        return ConfigFactory.parseMap(Map.of("baton.model.file", file, "baton.model.name", "test"));
    }

    private static Node start(Config overrides) {
        Node node = Node.start(NodeSettings.of(overrides.withFallback(TEST)), (_, _, _) -> {});
        node.awaitReady(Duration.ofSeconds(60));
        return node;
    }
}
