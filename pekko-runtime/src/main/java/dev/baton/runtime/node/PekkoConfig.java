package dev.baton.runtime.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.util.List;

/** Baton's settings in Pekko's words. */
final class PekkoConfig {
    /** Every node of a cluster carries the same. */
    static final String SYSTEM = "baton";

    private PekkoConfig() {}

    static Config of(NodeSettings settings) {
        List<String> seeds = settings.seeds().stream()
                .map(seed -> "pekko://" + SYSTEM + '@' + seed)
                .toList();
        // Unresolved reference: persistence-jdbc's own substitutions must see our overrides.
        return ConfigFactory.empty()
                .withValue("pekko.cluster.seed-nodes", ConfigValueFactory.fromIterable(seeds))
                .withFallback(settings.journal().toPekko())
                .withFallback(ConfigFactory.empty()
                        .withValue("baton", settings.baton().root()))
                .withFallback(ConfigFactory.parseResources("baton-pekko.conf"))
                .withFallback(ConfigFactory.defaultReferenceUnresolved())
                .resolve();
    }
}
