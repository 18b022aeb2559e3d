package dev.baton.runtime.cli;

import dev.baton.runtime.cli.LocalCluster.NodePlan;
import dev.baton.runtime.cli.NodeCommands.NodeRole;
import dev.baton.runtime.cli.RunState.ProcessEntry;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "up",
        description = "Starts a cluster on this machine, one process per node, and waits until it is ready.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./baton up --prefill 2 --decode 2",
            "  ./baton up --prefill 1 --decode 1 --mode colocated --port 0",
            "",
            "Logs and process ids are in .baton/run. End it with ./baton down."
        })
final class UpCommand implements Callable<Integer> {
    private static final int MAX_WORKERS = 64;
    private static final int READY = 200;
    private static final Duration HEAD_START = Duration.ofSeconds(15);
    private static final long POLL_MILLIS = 250;

    @Option(names = "--prefill", paramLabel = "N", defaultValue = "1", description = "Prefill workers (default: 1).")
    private int prefill;

    @Option(names = "--decode", paramLabel = "N", defaultValue = "1", description = "Decode workers (default: 1).")
    private int decode;

    @Option(
            names = "--mode",
            defaultValue = "disaggregated",
            description = "${COMPLETION-CANDIDATES}; colocated makes every worker do both (default: ${DEFAULT-VALUE}).")
    private NodeCommands.Mode mode = NodeCommands.Mode.DISAGGREGATED;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "HTTP port; 0 for any free one.")
    private int port;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "180",
            description = "How long to wait until it is ready (default: ${DEFAULT-VALUE}).")
    private long waitSeconds;

    @Mixin
    private OverrideOptions overrides = new OverrideOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        requireCounts();
        NodeCommands.Overrides checked = overrides.read();
        if (port != 0) {
            LocalCluster.requireFree(port);
        }
        PrintWriter err = spec.commandLine().getErr();
        RunState state = RunState.open();
        state.read().ifPresent(UpCommand::requireEnded);
        LocalCluster cluster = new LocalCluster(state, err, Baton.class);
        List<NodePlan> plans = plans(LocalCluster.freePorts(prefill + decode + 2));
        String url = "http://127.0.0.1:" + plans.getFirst().httpPort();
        err.println("starting " + plans.size() + " processes"
                + checked.model().map(model -> " with " + model.getFileName()).orElse(""));
        List<ProcessEntry> nodes = cluster.start(plans, overrides.asArguments(), HEAD_START);
        state.write(new RunState.Cluster(url, nodes));
        try {
            awaitReady(new ServerClient(URI.create(url)), nodes, err);
        } catch (CliFailure e) {
            cluster.stop(nodes);
            state.forget();
            throw e;
        }
        spec.commandLine().getOut().println("ready: " + url + "   (./baton status, ./baton down)");
        return NodeCommands.SUCCESS;
    }

    private void requireCounts() {
        if (prefill < 0 || decode < 0 || prefill + decode > MAX_WORKERS) {
            throw new CliFailure("--prefill and --decode together must be at most " + MAX_WORKERS);
        }
        boolean disaggregated = mode == NodeCommands.Mode.DISAGGREGATED;
        if (disaggregated && (prefill == 0 || decode == 0)) {
            throw new CliFailure("a cluster needs a prefill and a decode worker; or use --mode colocated");
        }
        if (prefill + decode == 0) {
            throw new CliFailure("a cluster needs a worker; give --prefill or --decode");
        }
    }

    private static void requireEnded(RunState.Cluster cluster) {
        long running = cluster.nodes().stream().filter(ProcessEntry::isRunning).count();
        if (running > 0) {
            throw new CliFailure(running + " processes of a cluster already run at " + cluster.url()
                    + "; end them with ./baton down");
        }
    }

    /** The first node is the seed and has the HTTP port. The first port is for HTTP, the others for the control plane. */
    private List<NodePlan> plans(List<Integer> free) {
        List<NodePlan> plans = new ArrayList<>();
        plans.add(new NodePlan("http-0", NodeRole.HTTP, port == 0 ? free.get(0) : port, free.get(1)));
        for (int i = 0; i < prefill + decode; i++) {
            NodeRole role = mode == NodeCommands.Mode.COLOCATED
                    ? NodeRole.COLOCATED
                    : i < prefill ? NodeRole.PREFILL : NodeRole.DECODE;
            int number = role == NodeRole.DECODE ? i - prefill : i;
            String name = role.name().toLowerCase(java.util.Locale.ROOT) + "-" + number;
            plans.add(new NodePlan(name, role, 0, free.get(i + 2)));
        }
        return plans;
    }

    private void awaitReady(ServerClient client, List<ProcessEntry> nodes, PrintWriter err) {
        long startNanos = System.nanoTime();
        long limitNanos = Duration.ofSeconds(waitSeconds).toNanos();
        String shown = "";
        String reason = "starting";
        while (System.nanoTime() - startNanos < limitNanos) {
            for (ProcessEntry node : nodes) {
                if (!node.isRunning()) {
                    throw new CliFailure("node " + node.name() + " ended while starting; the end of " + node.log()
                            + ":\n" + LocalCluster.tail(node));
                }
            }
            Optional<String> notReady = notReady(client);
            if (notReady.isEmpty()) {
                return;
            }
            reason = notReady.get();
            if (!reason.equals(shown)) {
                long seconds = Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
                err.println("  " + seconds + " s: " + reason);
                shown = reason;
            }
            pause();
        }
        throw new CliFailure("not ready after " + waitSeconds + " s (" + reason
                + "); give it longer with --wait, or look at the logs in .baton/run");
    }

    /** Why it is not ready; empty once it is. */
    private static Optional<String> notReady(ServerClient client) {
        try {
            ServerClient.Answer answer = client.get("/health/ready");
            return answer.status() == READY
                    ? Optional.empty()
                    : Optional.of(answer.body().path("reason").asText("not ready"));
        } catch (CliFailure e) {
            return Optional.of("HTTP port not open yet");
        }
    }

    private static void pause() {
        try {
            if (new CountDownLatch(1).await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("nobody counts this latch down");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliFailure("interrupted", e);
        }
    }
}
