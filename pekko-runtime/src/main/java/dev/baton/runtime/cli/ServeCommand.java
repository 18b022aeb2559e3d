package dev.baton.runtime.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "serve",
        description =
                "Serves in this process: HTTP port, one prefill and one decode worker, a real handoff between them.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./baton serve",
            "  ./baton serve --model model.gguf --port 9000",
            "  ./baton serve --mode colocated"
        })
final class ServeCommand extends NodeCommandUser implements Callable<Integer> {

    @Option(
            names = "--mode",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
            defaultValue = "disaggregated")
    private NodeCommands.Mode mode = NodeCommands.Mode.DISAGGREGATED;

    @Option(names = "--host", paramLabel = "HOST", description = "Address to listen on (default: as configured).")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "HTTP port; 0 for any free one (default: as configured).")
    private @Nullable Integer port;

    @Mixin
    private OverrideOptions overrides = new OverrideOptions();

    public ServeCommand(Supplier<NodeCommands> nodes) {
        super(nodes);
    }

    @Override
    public Integer call() {
        NodeCommands.Overrides read = overrides.read();
        return nodes().serve(new NodeCommands.ServeOptions(
                mode, Optional.ofNullable(host), Optional.ofNullable(port), read));
    }
}
