package dev.baton.runtime.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.http.ApiSettings;
import dev.baton.runtime.journal.JournalSettings;
import dev.baton.scheduler.worker.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * {@code conf/baton.conf} as checked values. Reading it is the only place where a key's name appears.
 *
 * @param baton the resolved {@code baton} section, for the parts that other settings records read
 */
public record NodeSettings(
        String name,
        List<String> roles,
        Path dataDir,
        Http http,
        ModelSettings model,
        List<WorkerSettings> workers,
        JournalSettings journal,
        List<String> seeds,
        Config baton) {

    /** @param api limits and defaults of the API */
    public record Http(String host, int port, ApiSettings api) {}

    /**
     * @param file "embedded" or a path
     * @param name empty: the file's own
     */
    public record ModelSettings(String file, String name) {}

    public record WorkerSettings(String name, Role role) {}

    public NodeSettings {
        roles = List.copyOf(roles);
        workers = List.copyOf(workers);
        seeds = List.copyOf(seeds);
    }

    public boolean isControl() {
        return roles.contains("control");
    }

    public boolean isWorker() {
        return roles.contains("worker");
    }

    /** The defaults of {@code baton.conf}. */
    public static NodeSettings defaults() {
        return of(ConfigFactory.empty());
    }

    /**
     * @param file a user's file on top of the defaults
     * @param overrides on top of the file
     */
    public static NodeSettings load(Path file, Config overrides) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    "configuration file " + file + " can't be read; pass a readable file to --config");
        }
        return of(overrides.withFallback(ConfigFactory.parseFile(file.toFile())));
    }

    /** @param overrides anything that goes on top of the defaults, highest first */
    public static NodeSettings of(Config overrides) {
        try {
            Config whole = ConfigFactory.defaultOverrides()
                    .withFallback(overrides)
                    .withFallback(ConfigFactory.parseResources("baton.conf"))
                    .resolve();
            return read(whole.getConfig("baton"));
        } catch (ConfigException e) {
            throw new IllegalArgumentException(
                    "configuration: " + e.getMessage() + "; conf/baton.conf documents every key", e);
        }
    }

    private static NodeSettings read(Config baton) {
        return new NodeSettings(
                baton.getString("node.name"),
                baton.getStringList("node.roles"),
                Path.of(baton.getString("node.data-dir")),
                new Http(
                        baton.getString("http.host"),
                        baton.getInt("http.port"),
                        ApiSettings.from(baton.getConfig("http"))),
                new ModelSettings(baton.getString("model.file"), baton.getString("model.name")),
                baton.getConfigList("workers").stream()
                        .map(worker -> new WorkerSettings(worker.getString("name"), role(worker.getString("role"))))
                        .toList(),
                JournalSettings.from(baton),
                baton.getStringList("cluster.seeds"),
                baton);
    }

    private static Role role(String text) {
        for (Role role : Role.values()) {
            if (role.name().equals(text.toUpperCase(Locale.ROOT))) {
                return role;
            }
        }
        throw new IllegalArgumentException(
                "baton.workers[].role must be prefill, decode, mixed or colocated, found \"" + text + "\"");
    }
}
