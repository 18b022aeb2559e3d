package dev.baton.kernels.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.kernels.SharedFiles;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.RopeStyle;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GgufModelTest {

    @TempDir
    private Path folder;

    @Test
    void theEmbeddedModelHasItsShape() {
        try (GgufModel model = EmbeddedModel.open()) {
            assertThat(model.name()).isEqualTo("house");
            assertThat(model.config())
                    .isEqualTo(new LlamaConfig(
                            4, 96, 256, 6, 2, 16, 640, 512, 10_000f, RopeStyle.INTERLEAVED, 1e-5f, true));
            Tensor key = model.tensor(TensorRole.KEY, 3);
            assertThat(key.name()).isEqualTo("blk.3.attn_k.weight");
            assertThat(key.type()).isEqualTo(TensorType.Q8_0);
            assertThat(key.rows()).isEqualTo(32);
            assertThat(key.cols()).isEqualTo(96);
            assertThat(key.data().byteSize()).isEqualTo(32 * 3 * 34);
            assertThat(model.tensor(TensorRole.OUTPUT, 0)).isEqualTo(model.tensor(TensorRole.TOKEN_EMBEDDING, 0));
            assertThatThrownBy(() -> model.tensor(TensorRole.KEY, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> key.data().fill((byte) 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void viewsDieWithTheFile() {
        Tensor tensor;
        try (GgufModel model = EmbeddedModel.open()) {
            tensor = model.tensor(TensorRole.OUTPUT_NORM, 0);
        }
        assertThatThrownBy(() -> tensor.data().get(GgufCursor.FLOAT, 0)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @CsvSource({"f32,F32", "f16,F16", "q8_0,Q8_0", "q4_0,Q4_0"})
    void everyFormatOfTheHouseModelOpens(String format, TensorType type) {
        try (GgufModel model = GgufModel.open(SharedFiles.require("models/house/house-" + format + ".gguf"))) {
            assertThat(model.tensor(TensorRole.QUERY, 0).type()).isEqualTo(type);
            assertThat(model.config().layers()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"f32", "f16", "bf16", "q8_0", "q4_0"})
    void everyFormatOfStories260kOpens(String format) {
        Path file = SharedFiles.require("models/stories260k/stories260K-" + format + ".gguf");
        try (GgufModel model = GgufModel.open(file)) {
            assertThat(model.config().kvHeads()).isEqualTo(4);
            assertThat(model.config().tiedOutput()).isTrue();
        }
    }

    @Test
    void version1IsRefused() {
        Path file = SharedFiles.require("models/reject/gguf-version-1.gguf");
        assertThatThrownBy(() -> GgufModel.open(file))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining("gguf-version-1.gguf: header.version: found version 1, expected version 2 or 3.")
                .hasMessageContaining("Convert the model again");
    }

    @Test
    void aRowThatIsNoWholeNumberOfBlocksIsRefused() {
        Path file = SharedFiles.require("models/reject/row-not-multiple-of-32-q8_0.gguf");
        assertThatThrownBy(() -> GgufModel.open(file))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining(
                        "blk.0.ffn_down.weight: found rows of 172 elements in Q8_0, expected a multiple of 32 elements.")
                .hasMessageContaining("Quantize the model again");
    }

    @Test
    void aMissingFileIsRefusedByName() {
        assertThatThrownBy(() -> GgufModel.open(folder.resolve("none.gguf")))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining("none.gguf: file: found java.nio.file.NoSuchFileException")
                .hasMessageContaining("Check the path");
    }

    @ParameterizedTest
    @CsvSource({
        "general.architecture,STRING,qwen3",
        "llama.rope.scaling.type,STRING,yarn",
        "llama.rope.scaling.factor,FLOAT32,8",
        "llama.expert_count,UINT32,8",
        "llama.rope.dimension_count,UINT32,8",
        "llama.attention.value_length,UINT32,32",
        "llama.attention.head_count_kv,UINT32,4",
        "llama.attention.key_length,UINT32,15",
        "llama.attention.head_count,STRING,six",
        "llama.embedding_length,UINT32,0",
        "llama.attention.layer_norm_rms_epsilon,FLOAT32,NaN",
        "llama.vocab_size,UINT32,641",
        "llama.context_length,UINT32,-1",
        "general.alignment,UINT32,48"
    })
    void metadataThatWouldChangeTheComputationIsRefusedByKey(String key, String type, String value) throws IOException {
        assertThatThrownBy(() -> GgufModel.open(houseWith(key, type, value)))
                .isInstanceOfSatisfying(
                        ModelFileException.class, e -> assertThat(e.field()).isEqualTo(key))
                .hasMessageMatching("(?s).*found .*, expected .*\\. .+");
    }

    @ParameterizedTest
    @CsvSource({
        "llama.feed_forward_length,UINT32,255,blk.0.ffn_gate.weight",
        "llama.block_count,UINT32,5,blk.4.attn_norm.weight",
        "llama.block_count,UINT32,3,blk.3.attn_norm.weight",
        "llama.embedding_length,UINT32,97,llama.attention.head_count",
        "llama.embedding_length,UINT32,48,llama.rope.dimension_count",
        "llama.attention.head_count_kv,UINT32,1,blk.0.attn_k.weight"
    })
    void partsThatDoNotFitEachOtherAreRefusedByName(String key, String type, String value, String tensor)
            throws IOException {
        assertThatThrownBy(() -> GgufModel.open(houseWith(key, type, value)))
                .isInstanceOfSatisfying(
                        ModelFileException.class, e -> assertThat(e.field()).isEqualTo(tensor));
    }

    @Test
    void aTokenizerOfAnotherSizeThanTheModelIsRefused() throws IOException {
        HouseParts parts = HouseParts.read();
        List<HouseParts.Entry> entries = new ArrayList<>(parts.entries());
        byte[] noTokens = ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(9)
                .putInt(8)
                .array();
        entries.replaceAll(entry ->
                entry.key().equals("tokenizer.ggml.tokens") ? new HouseParts.Entry(entry.key(), noTokens) : entry);
        Path file = Files.write(folder.resolve("changed.gguf"), parts.with(entries));
        assertThatThrownBy(() -> GgufModel.open(file))
                .isInstanceOf(ModelFileException.class)
                .hasMessageContaining(
                        "tokenizer.ggml.tokens: found 0 tokens, expected the 640 rows of token_embd.weight");
    }

    /** A copy of the embedded model with one more or another metadata entry. */
    private Path houseWith(String key, String type, String value) throws IOException {
        HouseParts parts = HouseParts.read();
        List<HouseParts.Entry> entries = new ArrayList<>(parts.entries());
        entries.removeIf(entry -> entry.key().equals(key));
        entries.add(HouseParts.Entry.of(key, GgufValueType.valueOf(type), value));
        Path file = folder.resolve("changed.gguf");
        Files.write(file, parts.with(entries));
        return file;
    }
}
