package dev.baton.kernels.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import dev.baton.kernels.SharedFiles;
import dev.baton.kernels.model.gguf.GgufFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The 47 cases by which llama.cpp holds each of its tokenizers to the one of the model's makers. */
class ConformanceTest {

    private static final int CASES = 47;

    @ParameterizedTest
    @ValueSource(strings = {"llama-spm", "gpt-2"})
    void everyCaseOfAGgufVocabularyGivesExactlyItsIds(String name) throws IOException {
        Path vocabulary = SharedFiles.require("models/vocab/ggml-vocab-" + name + ".gguf");
        try (GgufFile file = GgufFile.open(vocabulary)) {
            check(Tokenizer.from(file.metadata()), name);
        }
    }

    @Test
    void everyCaseOfLlama3GivesExactlyItsIds() throws IOException {
        check(Tokenizer.from(HuggingFaceTokenizers.read("tokenizer-llama3", "llama-bpe")), "llama-bpe");
    }

    @Test
    void everyCaseOfQwen2GivesExactlyItsIds() throws IOException {
        check(Tokenizer.from(HuggingFaceTokenizers.read("tokenizer-qwen3", "qwen2")), "qwen2");
    }

    private static void check(Tokenizer tokenizer, String name) throws IOException {
        String base = "models/vocab/ggml-vocab-" + name + ".gguf";
        String input = Files.readString(SharedFiles.require(base + ".inp"));
        List<String> texts = Arrays.asList(input.split("\n__ggml_vocab_test__\n", -1));
        List<String> answers = Arrays.asList(
                Files.readString(SharedFiles.require(base + ".out")).split("\n", -1));
        assertThat(texts).hasSize(CASES);
        assertThat(answers).hasSize(CASES);
        assertSoftly(softly -> {
            for (int i = 0; i < CASES; i++) {
                int[] expected = Arrays.stream(answers.get(i).trim().split(" +"))
                        .filter(id -> !id.isEmpty())
                        .mapToInt(Integer::parseInt)
                        .toArray();
                int[] found = tokenizer.encode(texts.get(i), false, false);
                softly.assertThat(found)
                        .as("%s case %d: %s", name, i, texts.get(i))
                        .isEqualTo(expected);
                softly.assertThat(tokenizer.decode(found))
                        .as("%s case %d, decoded", name, i)
                        .isEqualTo(texts.get(i));
            }
        });
    }
}
