package dev.baton.kernels.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.kernels.SharedFiles;
import dev.baton.kernels.model.gguf.EmbeddedModel;
import dev.baton.kernels.model.gguf.GgufFile;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.model.gguf.ModelFileException;
import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenizerTest {

    private static final int LONG_TEXT_CHARS = 200_000;

    private static TokenizerMetadata house() {
        try (GgufModel model = EmbeddedModel.open()) {
            return TokenizerMetadata.from(model.metadata());
        }
    }

    private static Tokenizer gpt2() {
        try (GgufFile file = GgufFile.open(SharedFiles.require("models/vocab/ggml-vocab-gpt-2.gguf"))) {
            return Tokenizer.from(file.metadata());
        }
    }

    @Test
    void stories260kPromptsGiveExactlyTheirIds() throws IOException {
        JsonNode cases = new ObjectMapper()
                .readTree(SharedFiles.require("models/stories260k/reference_stories260K.json")
                        .toFile());
        try (GgufFile file = GgufFile.open(SharedFiles.require("models/stories260k/stories260K-q8_0.gguf"))) {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            int checked = 0;
            for (JsonNode story : cases) {
                if (story.has("prompt_ids")) {
                    int[] prompt = ids(story.get("prompt_ids"));
                    assertThat(tokenizer.encode(story.get("prompt").asText(), true, false))
                            .isEqualTo(prompt);
                    int[] all = IntStream.concat(IntStream.of(prompt), IntStream.of(ids(story.get("greedy64"))))
                            .toArray();
                    assertThat(story.get("prompt").asText() + story.get("text").asText())
                            .startsWith(tokenizer.decode(all));
                    checked++;
                }
            }
            assertThat(checked).isEqualTo(8);
        }
    }

    @Test
    void controlTokensInTextAreOnlyParsedWhereAskedFor() {
        Tokenizer tokenizer = Tokenizer.from(house());
        int[] parsed = tokenizer.encode("<|user|>Hi<|end|>", false, true);
        assertThat(parsed[0]).isEqualTo(3);
        assertThat(parsed[parsed.length - 1]).isEqualTo(6);
        int[] plain = tokenizer.encode("<|user|>Hi<|end|></s><0x0A>", false, false);
        assertThat(Arrays.stream(plain).filter(tokenizer::isSpecial)).isEmpty();
        assertThat(tokenizer.decode(plain)).isEqualTo("<|user|>Hi<|end|></s><0x0A>");
        assertThat(tokenizer.decode(parsed)).isEqualTo("Hi");
        assertThat(tokenizer.tokenText(3)).isEqualTo("<|user|>");
    }

    @Test
    void everyTokenThatEndsATurnIsKnown() {
        Tokenizer tokenizer = Tokenizer.from(house());
        assertThat(tokenizer.endOfGeneration()).containsExactly(2, 6);
        assertThat(tokenizer.isEndOfGeneration(6)).isTrue();
        assertThat(tokenizer.isEndOfGeneration(3)).isFalse();
        assertThat(tokenizer.bos()).hasValue(1);
        assertThat(tokenizer.addsBos()).isTrue();
        assertThat(tokenizer.vocabulary()).isEqualTo(640);
    }

    @Test
    void charactersWithoutATokenBecomeTheirBytesAndComeBackWhole() {
        Tokenizer tokenizer = Tokenizer.from(house());
        int[] ids = tokenizer.encode("\ud83e\udd99", false, false);
        assertThat(ids).containsExactly(7 + 0xF0, 7 + 0x9F, 7 + 0xA6, 7 + 0x99);
        assertThat(tokenizer.tokenBytes(ids[1])).containsExactly((byte) 0x9F);
        IncrementalDecoder decoder = IncrementalDecoder.atStart(tokenizer);
        assertThat(decoder.accept(ids[0])).isEmpty();
        assertThat(decoder.accept(ids[1])).isEmpty();
        assertThat(decoder.accept(ids[2])).isEmpty();
        assertThat(decoder.heldBytes()).isEqualTo(3);
        assertThat(decoder.accept(ids[3])).isEqualTo("\ud83e\udd99");
        assertThat(decoder.finish()).isEmpty();
    }

    @Test
    void piecesTogetherAreTheWholeTextForAnyTokens() {
        SplittableRandom random = new SplittableRandom(7);
        for (Tokenizer tokenizer : new Tokenizer[] {Tokenizer.from(house()), gpt2()}) {
            for (int run = 0; run < 300; run++) {
                // Byte tokens lie low in both vocabularies: half of the tokens are taken there, to break code points.
                int[] ids = random.ints(20, 0, random.nextBoolean() ? 263 : tokenizer.vocabulary())
                        .toArray();
                byte[] all = new byte[0];
                IncrementalDecoder decoder = IncrementalDecoder.continuing(tokenizer);
                StringBuilder pieces = new StringBuilder();
                for (int id : ids) {
                    byte[] more = tokenizer.tokenBytes(id);
                    int before = all.length;
                    all = Arrays.copyOf(all, before + more.length);
                    System.arraycopy(more, 0, all, before, more.length);
                    String piece = decoder.accept(id);
                    assertThat(piece.isEmpty() || !Character.isHighSurrogate(piece.charAt(piece.length() - 1)))
                            .isTrue();
                    pieces.append(piece);
                }
                pieces.append(decoder.finish());
                assertThat(pieces).hasToString(new String(all, StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void anAnswerDecodedAfterItsPromptIsTheWholeDecoded() {
        try (GgufFile file = GgufFile.open(SharedFiles.require("models/vocab/ggml-vocab-llama-spm.gguf"))) {
            Tokenizer tokenizer = Tokenizer.from(file.metadata());
            int[] ids = tokenizer.encode("Hello wide world, \ud83e\udd99!", true, false);
            for (int split = 2; split < ids.length - 5; split++) {
                String prompt = tokenizer.decode(Arrays.copyOf(ids, split));
                String answer = continued(tokenizer, Arrays.copyOfRange(ids, split, ids.length));
                assertThat(prompt + answer).isEqualTo(tokenizer.decode(ids));
            }
            assertThat(tokenizer.decode(ids)).isEqualTo("Hello wide world, \ud83e\udd99!");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", " ", "\n", " \n", "1", "<|", "'", "\u00e9", "\ud83e\udd99", "ab ", "\t "})
    @Timeout(60)
    void longRunsOfOneCharacterCostNoMoreThanTheirLength(String unit) {
        String text = unit.repeat(LONG_TEXT_CHARS / unit.length());
        for (Tokenizer tokenizer : new Tokenizer[] {Tokenizer.from(house()), gpt2()}) {
            // The time limit is the test: with quadratic merging or backtracking each of these takes minutes.
            int[] ids = tokenizer.encode(text, true, true);
            assertThat(tokenizer.decode(ids).equals(text)).as(unit).isTrue();
        }
    }

    @Test
    void unknownKindsAreRefusedByKey() {
        TokenizerMetadata house = house();
        assertThatThrownBy(() -> Tokenizer.from(like(house, "t5", "default")))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining("tokenizer.ggml.model: found t5, expected llama (SentencePiece) or gpt2");
        assertThatThrownBy(() -> Tokenizer.from(like(house, "gpt2", "deepseek-v3")))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining("tokenizer.ggml.pre: found deepseek-v3, expected gpt-2, llama-bpe or qwen2");
    }

    private static TokenizerMetadata like(TokenizerMetadata house, String model, String pre) {
        return new TokenizerMetadata(
                house.file(),
                model,
                pre,
                house.tokens(),
                house.scores(),
                house.types(),
                house.merges(),
                house.bos(),
                house.eos(),
                house.unknown(),
                house.addBos(),
                house.addSpacePrefix(),
                house.chatTemplate());
    }

    private static String continued(Tokenizer tokenizer, int[] ids) {
        IncrementalDecoder decoder = IncrementalDecoder.continuing(tokenizer);
        StringBuilder text = new StringBuilder();
        IntStream.of(ids).forEach(id -> text.append(decoder.accept(id)));
        return text.append(decoder.finish()).toString();
    }

    private static int[] ids(JsonNode array) {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.get(i).asInt();
        }
        return ids;
    }
}
