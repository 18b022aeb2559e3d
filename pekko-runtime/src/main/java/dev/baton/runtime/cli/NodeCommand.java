package dev.baton.runtime.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "node",
        description = "Runs one process of a cluster; up starts these, and you do on several machines.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Example:",
            "  ./baton node --role decode --name decode-0 --artery-port 25520 --seed 10.0.0.1:25520 --data-dir data"
        })
final class NodeCommand extends NodeCommandUser implements Callable<Integer> {

    @Option(names = "--role", required = true, description = "${COMPLETION-CANDIDATES}.")
    private NodeCommands.NodeRole role = NodeCommands.NodeRole.HTTP;

    @Option(names = "--name", required = true, paramLabel = "NAME", description = "Unique in the cluster.")
    private String name = "";

    @Option(names = "--http-port", paramLabel = "PORT", description = "HTTP port of a node with role http.")
    private @Nullable Integer httpPort;

    @Option(names = "--artery-port", required = true, paramLabel = "PORT", description = "Port of the control plane.")
    private int arteryPort;

    @Option(
            names = "--seed",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Node to form the cluster around.")
    private String seed = "";

    @Option(names = "--data-dir", required = true, paramLabel = "DIR", description = "Where this node keeps its data.")
    private Path dataDir = Path.of("");

    @Mixin
    private OverrideOptions overrides = new OverrideOptions();

    public NodeCommand(Supplier<NodeCommands> nodes) {
        super(nodes);
    }

    @Override
    public Integer call() {
        NodeCommands.Overrides read = overrides.read();
        return nodes().node(new NodeCommands.NodeOptions(
                role, name, Optional.ofNullable(httpPort), arteryPort, seed, dataDir, read));
    }
}
