package dev.baton.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.runtime.trace.Timeline;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "trace",
        description = "The timeline of one request: every machine's transitions, and where the time went.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The id is the answer's id, also in the header X-Request-Id. For a list of prompts, add .0, .1 and so on.",
            "",
            "Example:",
            "  ./baton trace chatcmpl-6748…"
        })
final class TraceCommand implements Callable<Integer> {

    @Parameters(paramLabel = "REQUEST_ID", description = "The answer's id.")
    private String request = "";

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
        String id = URLEncoder.encode(request, StandardCharsets.UTF_8);
        JsonNode trace = server.client().require("/admin/v1/requests/" + id + "/trace");
        if (json) {
            out.println(trace.toPrettyString());
            return NodeCommands.SUCCESS;
        }
        out.println("request " + trace.path("request_id").asText());
        Timeline timeline = new Timeline(records(trace.path("transitions")));
        timeline.lines().forEach(out::println);
        out.println();
        timeline.summary().forEach(out::println);
        return NodeCommands.SUCCESS;
    }

    private static List<TransitionRecord> records(JsonNode transitions) {
        List<TransitionRecord> records = new ArrayList<>();
        for (JsonNode one : transitions) {
            records.add(new TransitionRecord(
                    one.path("machine").asText(),
                    one.path("where").asText(),
                    one.path("at_epoch_micros").asLong(),
                    one.path("sequence").asLong(),
                    one.path("from").asText(),
                    one.path("event").asText(),
                    one.path("to").asText(),
                    one.path("detail").asText()));
        }
        return records;
    }
}
