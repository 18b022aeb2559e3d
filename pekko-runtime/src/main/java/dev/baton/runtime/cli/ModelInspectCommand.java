package dev.baton.runtime.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.model.gguf.ModelFileException;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "inspect",
        description = "What a model file holds, and whether Baton serves it.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  ./baton model inspect model.gguf --json"})
final class ModelInspectCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "A GGUF file.")
    private Path file = Path.of("");

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        ObjectNode view = inspect();
        if (json) {
            spec.commandLine().getOut().println(view.toPrettyString());
            return NodeCommands.SUCCESS;
        }
        for (Map.Entry<String, com.fasterxml.jackson.databind.JsonNode> line : view.properties()) {
            spec.commandLine()
                    .getOut()
                    .printf("%-20s %s%n", line.getKey(), line.getValue().asText());
        }
        return NodeCommands.SUCCESS;
    }

    private ObjectNode inspect() {
        try (GgufModel model = GgufModel.open(file)) {
            LlamaConfig config = model.config();
            Tokenizer tokenizer = Tokenizer.from(model.metadata());
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("file", file.toString())
                    .put("name", model.metadata().string("general.name").orElse("(none)"))
                    .put("layers", config.layers())
                    .put("model_width", config.dModel())
                    .put("feed_forward_width", config.ffnDim())
                    .put("query_heads", config.heads())
                    .put("kv_heads", config.kvHeads())
                    .put("head_width", config.headDim())
                    .put("vocabulary", config.vocabulary())
                    .put("context_tokens", config.contextTokens())
                    .put("rope_theta", config.ropeTheta())
                    .put("rope_style", config.ropeStyle().name().toLowerCase(Locale.ROOT))
                    .put("tied_output", config.tiedOutput())
                    .put(
                            "tokenizer",
                            model.metadata().string("tokenizer.ggml.model").orElse("(none)"))
                    .put("chat_template", model.metadata().has("tokenizer.chat_template"))
                    .put("adds_bos", tokenizer.addsBos())
                    .put("kv_values_per_token", 2L * config.layers() * config.kvHeads() * config.headDim());
        } catch (ModelFileException e) {
            throw new CliFailure(String.valueOf(e.getMessage()), e);
        }
    }
}
