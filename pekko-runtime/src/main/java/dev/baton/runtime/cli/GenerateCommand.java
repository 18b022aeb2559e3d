package dev.baton.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "generate",
        description = "An answer from the running server, as it comes.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./baton generate \"Where is the lantern?\"",
            "  ./baton generate --raw --max-tokens 64 \"Once upon a time\"",
            "  ./baton generate --temperature 0.8 --seed 7 --json \"Hello\""
        })
final class GenerateCommand implements Callable<Integer> {

    @Parameters(paramLabel = "PROMPT", description = "What to answer.")
    private String prompt = "";

    @Option(names = "--raw", description = "Continue the prompt instead of answering it as a chat.")
    private boolean raw;

    @Option(names = "--model", paramLabel = "NAME", description = "A served model (default: the first).")
    private @Nullable String model;

    @Option(names = "--max-tokens", paramLabel = "N", description = "Most tokens of the answer.")
    private @Nullable Integer maxTokens;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "0 takes the likeliest tokens (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private double temperature;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random numbers.")
    private @Nullable Long seed;

    @Option(names = "--json", description = "Print one JSON object at the end instead of text.")
    private boolean json;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ServerClient client = server.client();
        ObjectNode body = body(client);
        StringBuilder text = new StringBuilder();
        ObjectNode end = JsonNodeFactory.instance.objectNode();
        client.stream(raw ? "/v1/completions" : "/v1/chat/completions", body, chunk -> {
            end.set("id", chunk.path("id"));
            end.set("model", chunk.path("model"));
            if (chunk.hasNonNull("usage")) {
                end.set("usage", chunk.path("usage"));
            }
            JsonNode choice = chunk.path("choices").path(0);
            if (choice.hasNonNull("finish_reason")) {
                end.set("finish_reason", choice.path("finish_reason"));
            }
            String piece = choice.path("text")
                    .asText(choice.path("delta").path("content").asText(""));
            text.append(piece);
            if (!json) {
                out.print(piece);
                out.flush();
            }
        });
        if (json) {
            end.put("text", text.toString());
            out.println(end.toPrettyString());
        } else {
            out.println();
            spec.commandLine()
                    .getErr()
                    .println("trace it: ./baton trace " + end.path("id").asText());
        }
        return NodeCommands.SUCCESS;
    }

    private ObjectNode body(ServerClient client) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        String name = model;
        if (name == null) {
            JsonNode first = client.require("/v1/models").path("data").path(0).path("id");
            if (!first.isTextual()) {
                throw new CliFailure("the server at " + client.base() + " serves no model yet; try again in a moment");
            }
            name = first.asText();
        }
        body.put("model", name).put("stream", true).put("temperature", temperature);
        body.putObject("stream_options").put("include_usage", true);
        if (maxTokens != null) {
            body.put("max_tokens", maxTokens);
        }
        if (seed != null) {
            body.put("seed", seed);
        }
        if (raw) {
            return body.put("prompt", prompt);
        }
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return body;
    }
}
