package dev.baton.runtime.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "model",
        description = "Looks at models, and makes synthetic ones.",
        mixinStandardHelpOptions = true,
        subcommands = {ModelInspectCommand.class, ModelCommand.Synth.class},
        footer = {
            "",
            "Examples:",
            "  ./baton model inspect model.gguf",
            "  ./baton model synth --shape smollm2-135m --type q8_0 --output synthetic.gguf"
        })
final class ModelCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command of model: inspect or synth.");
    }

    @Command(
            name = "synth",
            description = "Writes a model of a known shape with random weights, for benchmarks.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  ./baton model synth --shape smollm2-135m --type q8_0 --output synthetic.gguf"})
    static final class Synth extends NodeCommandUser implements Callable<Integer> {

        @Option(
                names = "--shape",
                paramLabel = "SHAPE",
                defaultValue = "smollm2-135m",
                description = "Model shape (default: ${DEFAULT-VALUE}).")
        private String shape = "";

        @Option(
                names = "--type",
                paramLabel = "TYPE",
                defaultValue = "q8_0",
                description = "f32, f16, bf16, q8_0 or q4_0 (default: ${DEFAULT-VALUE}).")
        private String type = "";

        @Option(
                names = "--seed",
                paramLabel = "N",
                defaultValue = "1",
                description = "Same seed, same bytes (default: 1).")
        private long seed;

        @Option(names = "--output", required = true, paramLabel = "FILE", description = "File to write.")
        private Path output = Path.of("");

        public Synth(Supplier<NodeCommands> nodes) {
            super(nodes);
        }

        @Override
        public Integer call() {
            return nodes().synthesize(new NodeCommands.SynthOptions(shape, type, seed, output));
        }
    }
}
