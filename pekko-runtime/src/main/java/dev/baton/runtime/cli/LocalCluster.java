package dev.baton.runtime.cli;

import dev.baton.runtime.cli.RunState.ProcessEntry;
import dev.baton.transfer.link.AeronDataPlane;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The processes of a cluster on this machine: started with this JVM's own flags and class path, and ended again. */
final class LocalCluster {
    private static final Duration GRACE = Duration.ofSeconds(15);
    private static final Duration KILLED = Duration.ofSeconds(5);
    private static final int LOG_LINES = 15;
    private static final long POLL_MILLIS = 100;
    /** What a node process prints once it is a member and serves. */
    private static final String UP_MARK = "up: ";

    private final RunState state;
    private final PrintWriter err;
    private final Class<?> main;

    /** @param main takes the arguments of {@link Baton} */
    LocalCluster(RunState state, PrintWriter err, Class<?> main) {
        this.state = state;
        this.err = err;
        this.main = main;
    }

    /** One process to start; {@code httpPort} 0 where it has none. */
    record NodePlan(String name, NodeCommands.NodeRole role, int httpPort, int arteryPort) {}

    /** Ports that nobody listens on now, all different. */
    static List<Integer> freePorts(int count) {
        List<ServerSocket> held = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                held.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } catch (IOException e) {
            throw new CliFailure("no free port: " + e.getMessage(), e);
        } finally {
            held.forEach(LocalCluster::close);
        }
    }

    static void requireFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            if (socket.getLocalPort() != port) {
                throw new IllegalStateException("asked for port " + port + ", bound " + socket.getLocalPort());
            }
        } catch (IOException e) {
            throw new CliFailure("port " + port + " is taken; choose another with --port, or 0 for any free one", e);
        }
    }

    /**
     * Starts the processes in order; where one does not start, those before it are ended. JVMs that start at the same moment take
     * each other's cores until the cluster's failure detector doubts them, so each gets a head start.
     *
     * @param headStart longest wait for a process to say that it is up before the next one starts
     */
    List<ProcessEntry> start(List<NodePlan> plans, List<String> more, Duration headStart) {
        String seed = "127.0.0.1:" + plans.getFirst().arteryPort();
        List<ProcessEntry> started = new ArrayList<>();
        try {
            Files.createDirectories(state.directory());
            for (NodePlan plan : plans) {
                ProcessEntry entry = start(plan, seed, more);
                started.add(entry);
                err.println("starting " + entry.name() + " (pid " + entry.pid() + ')');
                err.flush();
                awaitUp(entry, headStart);
            }
            return started;
        } catch (IOException e) {
            stop(started);
            throw new CliFailure("a node process can't be started: " + e.getMessage(), e);
        }
    }

    private ProcessEntry start(NodePlan plan, String seed, List<String> more) throws IOException {
        Path log = state.log(plan.name());
        Process process = new ProcessBuilder(command(plan, seed, more))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(nullDevice()))
                .start();
        Optional<Instant> start = process.info().startInstant();
        if (start.isEmpty()) {
            process.destroyForcibly();
            throw new IOException("the operating system does not tell when a process started; see " + log);
        }
        return new ProcessEntry(
                plan.name(),
                plan.role().name(),
                process.pid(),
                start.get().toEpochMilli(),
                plan.arteryPort(),
                plan.httpPort(),
                log.toString());
    }

    private static void awaitUp(ProcessEntry entry, Duration headStart) throws IOException {
        long deadlineNanos = System.nanoTime() + headStart.toNanos();
        Path log = Path.of(entry.log());
        while (System.nanoTime() - deadlineNanos < 0
                && entry.handle().isPresent()
                && !Files.readString(log).contains(UP_MARK)) {
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static File nullDevice() {
        return new File(File.separatorChar == '\\' ? "NUL" : "/dev/null");
    }

    private List<String> command(NodePlan plan, String seed, List<String> more) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // A debugger's port and a profile's file belong to one process.
            if (!flag.startsWith("-agentlib:") && !flag.startsWith("-XX:AOTCacheOutput")) {
                command.add(flag);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of("node", "--role", plan.role().name(), "--name", plan.name()));
        if (plan.role() == NodeCommands.NodeRole.HTTP) {
            command.addAll(List.of("--http-port", Integer.toString(plan.httpPort())));
        }
        command.addAll(List.of("--artery-port", Integer.toString(plan.arteryPort()), "--seed", seed));
        command.addAll(List.of(
                "--data-dir",
                state.directory().resolve("data").resolve(plan.name()).toString()));
        command.addAll(more);
        return command;
    }

    /** Ends what still runs: asks first, insists after a while. Touches no process but those recorded. */
    void stop(List<ProcessEntry> entries) {
        List<ProcessEntry> running = new ArrayList<>();
        for (ProcessEntry entry : entries.reversed()) {
            Optional<ProcessHandle> handle = entry.handle();
            if (handle.isPresent()) {
                handle.get().destroy();
                running.add(entry);
            }
        }
        long deadlineNanos = System.nanoTime() + GRACE.toNanos();
        for (ProcessEntry entry : running) {
            long leftNanos = Math.max(1, deadlineNanos - System.nanoTime());
            if (!awaitExit(entry, leftNanos)) {
                err.println("baton: " + entry.name() + " (pid " + entry.pid() + ") did not stop in time; killing it");
                entry.handle().ifPresent(ProcessHandle::destroyForcibly);
                if (!awaitExit(entry, KILLED.toNanos())) {
                    throw new CliFailure("process " + entry.pid() + " of " + entry.name()
                            + " does not end even when killed; look at the machine");
                }
            }
        }
        // A process that was killed could not take its shared memory with it.
        entries.forEach(entry -> AeronDataPlane.removeAbandoned(entry.name()));
    }

    private static boolean awaitExit(ProcessEntry entry, long nanos) {
        Optional<ProcessHandle> handle = entry.handle();
        if (handle.isEmpty()) {
            return true;
        }
        try {
            handle.get().onExit().get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new CliFailure("can't wait for process " + entry.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliFailure("interrupted", e);
        }
    }

    /** The end of a node's log. */
    static String tail(ProcessEntry entry) {
        try {
            List<String> lines = Files.readAllLines(Path.of(entry.log()));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log " + entry.log() + " can't be read: " + e.getMessage() + ")";
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new CliFailure("a port can't be given back: " + e.getMessage(), e);
        }
    }
}
