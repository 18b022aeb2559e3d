package dev.baton.kernels.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.kernels.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufWriterTest {

    @TempDir
    private Path folder;

    @Test
    void aWrittenModelIsTheModelAgain() throws IOException {
        Path copy = folder.resolve("copy.gguf");
        try (GgufModel house = EmbeddedModel.open()) {
            TokenizerMetadata tokenizer = TokenizerMetadata.from(house.metadata());
            GgufWriter.write(copy, "house", house, tokenizer, GgufWriter.Progress.NONE);
            try (GgufModel again = GgufModel.open(copy)) {
                assertThat(again.config()).isEqualTo(house.config());
                assertThat(ModelIdentity.of(again, ModelIdentity.Progress.NONE).checkpointHex())
                        .isEqualTo(ModelIdentity.of(house, ModelIdentity.Progress.NONE)
                                .checkpointHex());
                String text = "<|user|>What is 3 plus 4?<|end|> \u00fc\ud83e\udd99";
                assertThat(Tokenizer.from(again.metadata()).encode(text, true, true))
                        .isEqualTo(Tokenizer.from(house.metadata()).encode(text, true, true));
                assertThat(again.metadata().string("tokenizer.chat_template"))
                        .isEqualTo(house.metadata().string("tokenizer.chat_template"));
            }
        }
        assertThat(Files.size(copy) % GgufFile.DEFAULT_ALIGNMENT).isZero();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(copy);
        }
    }

    @Test
    void aVocabularyOfAnotherSizeIsNotWritten() {
        try (GgufModel house = EmbeddedModel.open()) {
            assertThatThrownBy(() -> GgufWriter.write(
                            folder.resolve("x.gguf"),
                            "x",
                            house,
                            SyntheticVocabulary.of(641),
                            GgufWriter.Progress.NONE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("641 tokens for a model of 640");
        }
    }

    @Test
    void aSyntheticVocabularyEncodesAnyTextAndGivesItBack() {
        for (int size : new int[] {SyntheticVocabulary.SMALLEST, 300, 640, 49_152}) {
            TokenizerMetadata metadata = SyntheticVocabulary.of(size);
            assertThat(metadata.tokens()).hasSize(size).doesNotHaveDuplicates();
            Tokenizer tokenizer = Tokenizer.from(metadata);
            String text = "the other tree, 12 \u00fcber \ud83e\udd99\n";
            int[] ids = tokenizer.encode(text, true, false);
            assertThat(tokenizer.decode(ids)).isEqualTo(text);
            assertThat(ids[0]).isEqualTo(1);
        }
        assertThat(Tokenizer.from(SyntheticVocabulary.of(49_152)).encode("the tree", false, false).length)
                .as("letters merge")
                .isLessThan(6);
    }

    @Test
    void digestsChangeWithOneBitAndReportProgress() throws IOException {
        byte[] bytes = Files.readAllBytes(EmbeddedModel.file());
        bytes[bytes.length - 40] ^= 1;
        Path changed = Files.write(folder.resolve("changed.gguf"), bytes);
        List<Long> reports = new ArrayList<>();
        try (GgufModel house = EmbeddedModel.open();
                GgufModel other = GgufModel.open(changed)) {
            ModelIdentity ours = ModelIdentity.of(house, (done, total) -> reports.add(done));
            ModelIdentity theirs = ModelIdentity.of(other, ModelIdentity.Progress.NONE);
            assertThat(theirs.checkpointHex())
                    .isNotEqualTo(ours.checkpointHex())
                    .hasSize(64);
            assertThat(theirs.tokenizerHex()).isEqualTo(ours.tokenizerHex()).hasSize(64);
            assertThat(ours).isEqualTo(ModelIdentity.of(house, ModelIdentity.Progress.NONE));
            assertThat(reports).isSorted().last().isEqualTo(house.weightBytes());
        }
    }

    @Test
    void theEmbeddedModelIsUnpackedOnceAndRepaired() throws IOException {
        Path file = EmbeddedModel.file(folder);
        assertThat(EmbeddedModel.file(folder)).isEqualTo(file);
        byte[] content = Files.readAllBytes(file);
        Files.write(file, new byte[] {1, 2, 3});
        EmbeddedModel.file(folder);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
        try (Stream<Path> files = Files.list(folder.resolve("models"))) {
            assertThat(files).containsExactly(file);
        }
    }
}
