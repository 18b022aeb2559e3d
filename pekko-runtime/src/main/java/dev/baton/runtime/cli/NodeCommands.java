package dev.baton.runtime.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the command line asks of the node assembly, which provides it as a service. Each call runs to its end on the calling
 * thread and returns an exit code; {@link #serve} and {@link #node} end when the process is told to stop.
 */
public interface NodeCommands {

    int SUCCESS = 0;
    int FAILURE = 1;

    /** Whether prefill and decode have workers of their own. */
    enum Mode {
        DISAGGREGATED,
        COLOCATED
    }

    /** What the process of a cluster of this machine does. */
    enum NodeRole {
        HTTP,
        PREFILL,
        DECODE,
        COLOCATED
    }

    /**
     * What may be changed for any node.
     *
     * @param config a configuration file on top of the defaults
     * @param model a GGUF file; empty for the configured one
     * @param settings single settings as {@code key=value} below {@code baton}, which go over everything else
     */
    record Overrides(Optional<Path> config, Optional<Path> model, List<String> settings) {
        public Overrides {
            settings = List.copyOf(settings);
        }
    }

    /** One process with everything; {@code httpPort} and {@code host} only where given. */
    record ServeOptions(Mode mode, Optional<String> host, Optional<Integer> httpPort, Overrides overrides) {}

    /**
     * One process of a cluster.
     *
     * @param httpPort of a node with role HTTP
     * @param arteryPort of the control plane
     * @param seed {@code host:port} of the node that the cluster forms around; may be this node itself
     */
    record NodeOptions(
            NodeRole role,
            String name,
            Optional<Integer> httpPort,
            int arteryPort,
            String seed,
            Path dataDir,
            Overrides overrides) {}

    /**
     * @param what the benchmark, such as {@code handoff}
     * @param promptTokens prompt lengths of the handoff benchmark
     * @param threads thread counts of the kernel benchmark
     */
    record BenchOptions(
            String what, List<Integer> promptTokens, List<Integer> threads, boolean json, Overrides overrides) {
        public BenchOptions {
            promptTokens = List.copyOf(promptTokens);
            threads = List.copyOf(threads);
        }
    }

    /**
     * @param shape a known model shape, such as {@code smollm2-135m}
     * @param type element type of the weights, such as {@code q8_0}
     */
    record SynthOptions(String shape, String type, long seed, Path output) {}

    int serve(ServeOptions options);

    int node(NodeOptions options);

    int bench(BenchOptions options);

    int synthesize(SynthOptions options);
}
