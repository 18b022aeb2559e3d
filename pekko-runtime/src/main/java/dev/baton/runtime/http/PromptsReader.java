package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** {@code prompt}: a string, an array of strings, an array of token ids, or an array of arrays of token ids. */
final class PromptsReader {
    private static final String PROMPT = "prompt";

    private final PromptText text;
    private final int maxPrompts;

    /** @param path the field it came from, {@code prompt} or {@code prompt.2} */
    record TokenPrompt(String path, List<Integer> tokens, String text) {
        TokenPrompt {
            tokens = List.copyOf(tokens);
        }
    }

    PromptsReader(PromptText text, int maxPrompts) {
        this.text = text;
        this.maxPrompts = maxPrompts;
    }

    List<TokenPrompt> read(JsonNode prompt) {
        if (prompt.isTextual()) {
            return List.of(ofText(PROMPT, prompt));
        }
        if (!prompt.isArray()) {
            throw Fields.wrongType(
                    PROMPT, "a string, an array of strings, of token ids, or of arrays of token ids", prompt);
        }
        if (prompt.isEmpty()) {
            throw ApiError.invalid(PROMPT, "invalid_value", "prompt must not be empty.");
        }
        if (prompt.get(0).isNumber()) {
            return List.of(ofTokens(PROMPT, prompt));
        }
        if (prompt.size() > maxPrompts) {
            throw ApiError.invalid(
                    PROMPT,
                    "invalid_value",
                    "prompt has " + prompt.size() + " entries; at most " + maxPrompts + " in one request.");
        }
        boolean texts = prompt.get(0).isTextual();
        List<TokenPrompt> prompts = new ArrayList<>();
        for (int i = 0; i < prompt.size(); i++) {
            String path = PROMPT + "." + i;
            JsonNode one = prompt.get(i);
            if (!texts && !one.isArray()) {
                throw Fields.wrongType(path, i == 0 ? "a string, token id or array" : "an array of token ids", one);
            }
            prompts.add(texts ? ofText(path, one) : ofTokens(path, one));
        }
        return prompts;
    }

    private TokenPrompt ofText(String path, JsonNode value) {
        String prompt = Fields.text(path, value);
        if (prompt.isEmpty()) {
            throw ApiError.invalid(path, "invalid_value", path + " must not be empty.");
        }
        return new TokenPrompt(
                path, IntStream.of(text.encodePrompt(prompt)).boxed().toList(), prompt);
    }

    private TokenPrompt ofTokens(String path, JsonNode values) {
        if (values.isEmpty()) {
            throw ApiError.invalid(path, "invalid_value", path + " must not be empty.");
        }
        List<Integer> tokens = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            tokens.add(Fields.integer(path + "." + i, values.get(i), 0, text.vocabulary() - 1));
        }
        return new TokenPrompt(path, tokens, text.decode(tokens));
    }
}
