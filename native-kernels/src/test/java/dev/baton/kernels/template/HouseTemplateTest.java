package dev.baton.kernels.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.kernels.SharedFiles;
import dev.baton.kernels.model.gguf.EmbeddedModel;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.tokenizer.IncrementalDecoder;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The embedded model's template, against the prompts its makers computed. */
class HouseTemplateTest {

    @Test
    void everyReferenceQuestionGivesExactlyItsPromptIdsAndItsAnswerText() throws IOException {
        JsonNode answers = new ObjectMapper()
                .readTree(SharedFiles.require("models/house/reference_answers.json")
                        .toFile());
        try (GgufModel model = EmbeddedModel.open()) {
            Tokenizer tokenizer = Tokenizer.from(model.metadata());
            ChatTemplate template = ChatTemplate.from(model.metadata(), tokenizer);
            assertThat(answers).hasSize(60);
            for (JsonNode answer : answers) {
                ChatMessage question = new ChatMessage("user", answer.get("q").asText());
                assertThat(template.encode(List.of(question), true)).isEqualTo(ids(answer.get("ids")));
                IncrementalDecoder decoder = IncrementalDecoder.continuing(tokenizer);
                StringBuilder text = new StringBuilder();
                for (int id : ids(answer.get("out"))) {
                    text.append(decoder.accept(id));
                }
                assertThat(text.append(decoder.finish()))
                        .hasToString(answer.get("text").asText());
            }
        }
    }

    private static int[] ids(JsonNode array) {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.get(i).asInt();
        }
        return ids;
    }
}
