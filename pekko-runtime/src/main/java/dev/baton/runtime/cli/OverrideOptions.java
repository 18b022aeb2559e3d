package dev.baton.runtime.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that starts a node. */
final class OverrideOptions {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration on top of the defaults; conf/baton.conf documents every key.")
    private @Nullable Path config;

    @Option(names = "--model", paramLabel = "FILE", description = "Model to serve, a GGUF file (default: embedded).")
    private @Nullable Path model;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One setting below baton, such as http.deadline=30s; may be repeated.")
    private List<String> settings = new ArrayList<>();

    NodeCommands.Overrides read() {
        for (String setting : settings) {
            if (setting.indexOf('=') < 1) {
                throw new CliFailure("--set takes KEY=VALUE, found " + setting);
            }
        }
        requireFile("--config", config);
        requireFile("--model", model);
        return new NodeCommands.Overrides(Optional.ofNullable(config), Optional.ofNullable(model), settings);
    }

    /** The same options for another process. */
    List<String> asArguments() {
        List<String> arguments = new ArrayList<>();
        if (config != null) {
            arguments.addAll(List.of("--config", config.toAbsolutePath().toString()));
        }
        if (model != null) {
            arguments.addAll(List.of("--model", model.toAbsolutePath().toString()));
        }
        settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        return arguments;
    }

    private static void requireFile(String option, @Nullable Path file) {
        if (file != null && !java.nio.file.Files.isReadable(file)) {
            throw new CliFailure(option + " names " + file + ", which is no readable file");
        }
    }
}
