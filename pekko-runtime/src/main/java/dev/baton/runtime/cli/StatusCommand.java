package dev.baton.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "status",
        description = "What runs, in which role, with how much room.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./baton status", "  ./baton status --json --url http://127.0.0.1:9000"})
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--json", description = "Print the server's JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ServerClient client = server.client();
        JsonNode cluster = client.require("/admin/v1/cluster");
        if (json) {
            out.println(cluster.toPrettyString());
            return NodeCommands.SUCCESS;
        }
        out.println(client.base() + "  " + cluster.path("status").asText()
                + (cluster.has("reason") ? ": " + cluster.path("reason").asText() : ""));
        for (JsonNode model : cluster.path("models")) {
            out.printf(
                    "model %s  %d waiting, %d bound%n",
                    model.path("model").asText(),
                    model.path("waiting_requests").asLong(),
                    model.path("bound_requests").asLong());
            out.printf(
                    "  %-16s %-10s %-30s %8s %8s %15s%n", "WORKER", "ROLE", "NODE", "QUEUE", "DECODES", "BLOCKS FREE");
            for (JsonNode worker : model.path("workers")) {
                out.printf(
                        "  %-16s %-10s %-30s %8d %8d %15s%n",
                        worker.path("worker").asText(),
                        worker.path("role").asText(),
                        worker.path("node").asText(),
                        worker.path("pending_prefill_tokens").asLong(),
                        worker.path("running_decodes").asLong(),
                        worker.path("free_blocks").asLong() + "/"
                                + worker.path("total_blocks").asLong());
            }
        }
        Optional<RunState.Cluster> started = RunState.open().read();
        started.ifPresent(state -> state.nodes()
                .forEach(node -> out.printf(
                        "process %-16s pid %-8d %s%n",
                        node.name(), node.pid(), node.isRunning() ? "running" : "gone")));
        return NodeCommands.SUCCESS;
    }
}
