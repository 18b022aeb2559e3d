package dev.baton.runtime.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.node.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real models answer exactly as independent implementations do, through a real handoff. */
class ReferenceAnswersTest {

    @Test
    void theEmbeddedModelGivesTheSixtyAnswers() throws IOException {
        answersTheSixtyQuestions(ConfigFactory.parseString("baton.model.name = test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"q8_0", "q4_0"})
    void theHouseModelGivesTheSixtyAnswersWithInt8ActivationsToo(String format) throws IOException {
        Path file = SharedModels.require("house/house-" + format + ".gguf");
        answersTheSixtyQuestions(ConfigFactory.parseString("baton.worker.device.quantized-compute = int8")
                .withFallback(Nodes.model(file.toString())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"f32", "f16", "q4_0"})
    void theHouseModelGivesTheSixtyAnswersInEveryFormat(String format) throws IOException {
        Path file = SharedModels.require("house/house-" + format + ".gguf");
        answersTheSixtyQuestions(Nodes.model(file.toString()));
    }

    private static void answersTheSixtyQuestions(Config config) throws IOException {
        JsonNode cases;
        try (InputStream in = Objects.requireNonNull(
                ReferenceAnswersTest.class.getResourceAsStream("/house/reference_answers.json"))) {
            cases = Api.JSON.readTree(in);
        }
        assertThat(cases.size()).isEqualTo(60);
        try (Node node = Nodes.disaggregated(config);
                Api api = new Api(node.httpPort())) {
            for (JsonNode question : cases) {
                ObjectNode body =
                        Api.JSON.createObjectNode().put("model", "test").put("temperature", 0);
                body.putArray("messages").addObject().put("role", "user").set("content", question.get("q"));
                JsonNode answer = api.post("/v1/chat/completions", body).ok();
                assertThat(answer.at("/choices/0/message/content").asText())
                        .as(question.get("q").asText())
                        .isEqualTo(question.get("text").asText());
                assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
                assertThat(answer.at("/usage/prompt_tokens").asInt())
                        .isEqualTo(question.get("ids").size());
                assertThat(answer.at("/usage/completion_tokens").asInt())
                        .isEqualTo(question.get("out").size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"f32", "f16", "bf16", "q8_0"})
    void stories260kGivesTheReferenceIds(String format) throws IOException {
        Path file = SharedModels.require("stories260k/stories260K-" + format + ".gguf");
        JsonNode cases = Api.JSON.readTree(
                SharedModels.require("stories260k/reference_stories260K.json").toFile());
        assertThat(cases.size()).isEqualTo(8);
        try (Node node = Nodes.disaggregated(Nodes.model(file.toString()))) {
            for (JsonNode story : cases) {
                List<Integer> expected = ids(story.get("greedy64"));
                List<Integer> produced = Requests.greedy(node, ids(story.get("prompt_ids")), expected.size());
                assertThat(produced).as(story.get("prompt").asText()).isEqualTo(expected);
            }
        }
    }

    private static List<Integer> ids(JsonNode array) {
        List<Integer> ids = new ArrayList<>();
        array.forEach(id -> ids.add(id.asInt()));
        return ids;
    }
}
