package dev.baton.runtime.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "bench",
        description = "Measures on this machine, each figure next to a named peer of the same run.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./baton bench handoff",
            "  ./baton bench handoff --prompt-tokens 128,512 --json",
            "  ./baton bench kernels --threads 1,2"
        })
final class BenchCommand extends NodeCommandUser implements Callable<Integer> {

    @Parameters(paramLabel = "WHAT", description = "handoff or kernels.", defaultValue = "handoff")
    private String what = "handoff";

    @Option(
            names = "--prompt-tokens",
            split = ",",
            paramLabel = "N",
            description = "Prompt lengths of handoff (default: ${DEFAULT-VALUE}).",
            defaultValue = "128,512,2048")
    private List<Integer> promptTokens = List.of();

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "Thread counts of kernels (default: ${DEFAULT-VALUE}).",
            defaultValue = "1,2")
    private List<Integer> threads = List.of();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Mixin
    private OverrideOptions overrides = new OverrideOptions();

    public BenchCommand(Supplier<NodeCommands> nodes) {
        super(nodes);
    }

    @Override
    public Integer call() {
        return nodes().bench(new NodeCommands.BenchOptions(what, promptTokens, threads, json, overrides.read()));
    }
}
