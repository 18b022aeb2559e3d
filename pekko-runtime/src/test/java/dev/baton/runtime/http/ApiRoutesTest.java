package dev.baton.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.runtime.http.FakeBackend.Script;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestSpec;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers as OpenAI shapes them, over a real socket. */
class ApiRoutesTest {
    private static ServedApi api;

    @BeforeAll
    static void serve() {
        api = new ServedApi(ServedApi.settings());
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @BeforeEach
    void forget() {
        api.backend.submitted.clear();
        api.backend.cancelled.clear();
        api.backend.readiness = new Backend.Readiness.Ready();
        api.backend.answers = spec -> Script.words(spec.choices(), "Hello", " world");
    }

    private static String chat(String more) {
        return "{\"model\":\"fake/model\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + more + "}";
    }

    private static String completion(String prompt, String more) {
        return "{\"model\":\"fake/model\",\"prompt\":" + prompt + more + "}";
    }

    /** Ids and times are of the moment. */
    private static String settled(String json) {
        return json.replaceAll("(chatcmpl|cmpl)-[0-9a-f]{40}", "$1-ID")
                .replaceAll("\"created\":[0-9]+", "\"created\":0");
    }

    @Test
    void chatAnswerHasTheShapeOfOpenAi() {
        HttpResponse<String> response = api.post("/v1/chat/completions", chat(""));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(settled(response.body()))
                .isEqualTo("{\"id\":\"chatcmpl-ID\",\"object\":\"chat.completion\",\"created\":0,"
                        + "\"model\":\"fake/model\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                        + "\"content\":\"Hello world\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],"
                        + "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":6}}");
    }

    @Test
    void completionAnswerHasTheShapeOfOpenAi() {
        HttpResponse<String> response = api.post("/v1/completions", completion("\"abc\"", ""));
        assertThat(settled(response.body()))
                .isEqualTo("{\"id\":\"cmpl-ID\",\"object\":\"text_completion\",\"created\":0,"
                        + "\"model\":\"fake/model\",\"choices\":[{\"index\":0,\"text\":\"Hello world\","
                        + "\"logprobs\":null,\"finish_reason\":\"stop\"}],"
                        + "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}");
    }

    @Test
    void theAnswersIdIsTheRequestsId() {
        JsonNode answer =
                ServedApi.json(api.post("/v1/chat/completions", chat("")).body());
        assertThat(answer.get("id").asText())
                .isEqualTo(api.backend.onlySpec().request().value());
    }

    @Test
    void chatStreamBeginsWithTheRoleAndEndsWithDone() {
        HttpResponse<String> response = api.post("/v1/chat/completions", chat(",\"stream\":true"));
        assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/event-stream");
        String head = "{\"id\":\"chatcmpl-ID\",\"object\":\"chat.completion.chunk\",\"created\":0,"
                + "\"model\":\"fake/model\",\"choices\":[{\"index\":0,\"delta\":";
        assertThat(ServedApi.data(settled(response.body())))
                .containsExactly(
                        head + "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},"
                                + "\"logprobs\":null,\"finish_reason\":null}]}",
                        head + "{\"content\":\"Hello\"},\"logprobs\":null,\"finish_reason\":null}]}",
                        head + "{\"content\":\" world\"},\"logprobs\":null,\"finish_reason\":null}]}",
                        head + "{},\"logprobs\":null,\"finish_reason\":\"stop\"}]}",
                        "[DONE]");
        assertThat(ServedApi.ids(response.body())).containsExactly("0", "1t", "1");
    }

    @Test
    void completionStreamHasTextChunks() {
        HttpResponse<String> response = api.post("/v1/completions", completion("\"abc\"", ",\"stream\":true"));
        String head = "{\"id\":\"cmpl-ID\",\"object\":\"text_completion\",\"created\":0,"
                + "\"model\":\"fake/model\",\"choices\":[{\"index\":0,\"text\":";
        assertThat(ServedApi.data(settled(response.body())))
                .containsExactly(
                        head + "\"Hello\",\"logprobs\":null,\"finish_reason\":null}]}",
                        head + "\" world\",\"logprobs\":null,\"finish_reason\":null}]}",
                        head + "\"\",\"logprobs\":null,\"finish_reason\":\"stop\"}]}",
                        "[DONE]");
    }

    @Test
    void usageComesInALastChunkWithoutChoices() {
        String body = chat(",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
        List<String> data =
                ServedApi.data(api.post("/v1/chat/completions", body).body());
        JsonNode last = ServedApi.json(data.get(data.size() - 2));
        assertThat(last.get("choices")).isEmpty();
        assertThat(last.get("usage").get("total_tokens").asLong()).isEqualTo(6);
        for (String chunk : data.subList(0, data.size() - 2)) {
            assertThat(ServedApi.json(chunk).get("usage").isNull()).isTrue();
        }
    }

    @Test
    void severalChoicesStreamUnderTheirIndex() {
        List<String> data = ServedApi.data(api.post("/v1/chat/completions", chat(",\"stream\":true,\"n\":3"))
                .body());
        String[] texts = {"", "", ""};
        int[] roles = new int[3];
        int[] finishes = new int[3];
        for (String line : data.subList(0, data.size() - 1)) {
            JsonNode choice = ServedApi.json(line).get("choices").get(0);
            int index = choice.get("index").asInt();
            texts[index] += choice.get("delta").path("content").asText();
            roles[index] += choice.get("delta").has("role") ? 1 : 0;
            finishes[index] += choice.get("finish_reason").isNull() ? 0 : 1;
        }
        assertThat(texts).containsOnly("Hello world");
        assertThat(roles).containsOnly(1);
        assertThat(finishes).containsOnly(1);
    }

    @Test
    void listPromptsAreOneRequestEachWithIndicesInOrder() {
        api.backend.answers =
                spec -> Script.words(spec.choices(), "to " + spec.promptTokens().size(), "!");
        JsonNode answer = ServedApi.json(api.post("/v1/completions", completion("[\"a\",\"bb\",\"ccc\"]", ",\"n\":2"))
                .body());
        assertThat(api.backend.submitted).hasSize(3);
        for (int i = 0; i < 6; i++) {
            JsonNode choice = answer.get("choices").get(i);
            assertThat(choice.get("index").asInt()).isEqualTo(i);
            assertThat(choice.get("text").asText()).isEqualTo("to " + (i / 2 + 1) + "!");
        }
        assertThat(answer.get("usage").get("prompt_tokens").asInt()).isEqualTo(6);
        assertThat(answer.get("usage").get("completion_tokens").asInt()).isEqualTo(12);
    }

    @Test
    void listPromptsStreamTogether() {
        HttpResponse<String> response = api.post("/v1/completions", completion("[[1,2],[3]]", ",\"stream\":true"));
        List<String> data = ServedApi.data(response.body());
        assertThat(data).endsWith("[DONE]").hasSize(7);
        List<String> ids = ServedApi.ids(response.body());
        assertThat(ids.getLast()).isEqualTo("1,1");
    }

    @Test
    void tokenPromptsAreTakenAsTheyAre() {
        api.post("/v1/completions", completion("[5,6,7]", ""));
        assertThat(api.backend.onlySpec().promptTokens()).containsExactly(5, 6, 7);
    }

    @Test
    void echoPutsThePromptBeforeEachChoice() {
        JsonNode answer = ServedApi.json(api.post("/v1/completions", completion("\"abc\"", ",\"echo\":true"))
                .body());
        assertThat(answer.get("choices").get(0).get("text").asText()).isEqualTo("abcHello world");
        List<String> data =
                ServedApi.data(api.post("/v1/completions", completion("[97]", ",\"echo\":true,\"stream\":true"))
                        .body());
        assertThat(ServedApi.json(data.getFirst())
                        .get("choices")
                        .get(0)
                        .get("text")
                        .asText())
                .isEqualTo("a");
    }

    @Test
    void everySamplingFieldReachesTheRequest() {
        api.post(
                "/v1/completions",
                completion(
                        "\"abc\"",
                        ",\"max_tokens\":9,\"temperature\":0.5,\"top_p\":0.25,\"top_k\":40,\"min_p\":0.125,\"n\":2,"
                                + "\"stop\":[\"x\",\"y\"],\"presence_penalty\":1.5,\"frequency_penalty\":-0.5,"
                                + "\"repetition_penalty\":1.25,\"logit_bias\":{\"17\":-100},\"seed\":-42,"
                                + "\"ignore_eos\":true,\"user\":\"u\",\"baton\":{\"mode\":\"colocated\"}"));
        RequestSpec spec = api.backend.onlySpec();
        assertThat(spec.maxTokens()).isEqualTo(9);
        assertThat(spec.choices()).isEqualTo(2);
        assertThat(spec.stopStrings()).containsExactly("x", "y");
        assertThat(spec.ignoreEos()).isTrue();
        assertThat(spec.colocated()).isTrue();
        assertThat(spec.deadlineMillis()).isEqualTo(60_000);
        assertThat(spec.sampling().temperature()).isEqualTo(0.5f);
        assertThat(spec.sampling().topP()).isEqualTo(0.25f);
        assertThat(spec.sampling().topK()).isEqualTo(40);
        assertThat(spec.sampling().minP()).isEqualTo(0.125f);
        assertThat(spec.sampling().presencePenalty()).isEqualTo(1.5f);
        assertThat(spec.sampling().frequencyPenalty()).isEqualTo(-0.5f);
        assertThat(spec.sampling().repetitionPenalty()).isEqualTo(1.25f);
        assertThat(spec.sampling().logitBias()).containsEntry(17, -100f).hasSize(1);
        assertThat(spec.sampling().seed()).isEqualTo(-42);
    }

    @Test
    void defaultsAreThoseOfOpenAi() {
        api.post("/v1/completions", completion("\"abc\"", ""));
        api.post("/v1/chat/completions", chat(""));
        RequestSpec completion = api.backend.submitted.remove();
        RequestSpec chat = api.backend.submitted.remove();
        assertThat(completion.maxTokens()).isEqualTo(16);
        assertThat(chat.maxTokens()).as("bounded by configuration").isEqualTo(32);
        assertThat(completion.sampling().temperature()).isEqualTo(1);
        assertThat(completion.sampling().topP()).isEqualTo(1);
        assertThat(completion.sampling().seed())
                .as("a seed of its own")
                .isNotEqualTo(chat.sampling().seed());
    }

    @Test
    void aDefaultLimitShrinksToTheRoomLeft() {
        api.post("/v1/completions", completion("\"" + "a".repeat(60) + "\"", ""));
        assertThat(api.backend.onlySpec().maxTokens()).isEqualTo(4);
    }

    @Test
    void textPartsAreJoinedAndDeveloperIsSystem() {
        api.post(
                "/v1/chat/completions",
                "{\"model\":\"fake/model\",\"messages\":[{\"role\":\"developer\",\"content\":\"be\"},"
                        + "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                        + "{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\",\"content\":\"c\","
                        + "\"refusal\":null,\"annotations\":[],\"tool_calls\":[]}]}");
        assertThat(FakeBackend.TEXT.decode(api.backend.onlySpec().promptTokens()))
                .isEqualTo("s:beu:aba:c");
    }

    @Test
    void neutralValuesOfUnservedFieldsAreAccepted() {
        HttpResponse<String> chat = api.post(
                "/v1/chat/completions",
                chat(
                        ",\"logprobs\":false,\"top_logprobs\":null,\"tools\":[],\"tool_choice\":\"none\",\"functions\":null,"
                                + "\"response_format\":{\"type\":\"text\"},\"modalities\":[\"text\"],\"store\":false,"
                                + "\"metadata\":{},\"service_tier\":\"auto\",\"stop\":null,\"seed\":null,\"n\":null"));
        assertThat(chat.statusCode()).as(chat.body()).isEqualTo(200);
        HttpResponse<String> completion =
                api.post("/v1/completions", completion("\"a\"", ",\"logprobs\":null,\"best_of\":1,\"suffix\":null"));
        assertThat(completion.statusCode()).as(completion.body()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "NO_WORKER, 503, no_worker, true",
        "OVERLOADED, 429, overloaded, true",
        "TOO_LARGE, 400, kv_capacity_exceeded, false",
        "DEADLINE, 504, deadline_exceeded, false",
        "RETRIES_EXHAUSTED, 503, retries_exhausted, true",
        "INTERNAL, 500, internal_error, false"
    })
    void eachCauseOfFailureHasItsStatusStreamedOrNot(FailureCause cause, int status, String code, boolean retry) {
        api.backend.answers = spec -> Script.failing(cause);
        for (String stream : List.of("", ",\"stream\":true")) {
            HttpResponse<String> response = api.post("/v1/chat/completions", chat(stream));
            assertThat(response.statusCode()).isEqualTo(status);
            JsonNode error = ServedApi.json(response.body()).get("error");
            assertThat(error.get("code").asText()).isEqualTo(code);
            assertThat(error.get("message").asText()).isNotEmpty();
            assertThat(error.get("type").asText()).isNotEmpty();
            assertThat(response.headers().firstValue("Retry-After").isPresent()).isEqualTo(retry);
        }
        assertThat(api.backend.cancelled).as("ended requests need no cancel").isEmpty();
    }

    @Test
    void aFailureAfterOutputIsAnEventWithoutDone() {
        api.backend.answers = spec -> new Script(
                List.of(new OutputItem(0, 0, List.of(1), "Hel", null)), Outcome.FAILED, FailureCause.INTERNAL);
        List<String> data = ServedApi.data(
                api.post("/v1/chat/completions", chat(",\"stream\":true")).body());
        assertThat(data).hasSize(3);
        assertThat(ServedApi.json(data.getLast()).get("error").get("code").asText())
                .isEqualTo("internal_error");
    }

    @Test
    void oneFailedPromptCancelsTheOthers() {
        api.backend.answers = spec ->
                spec.promptTokens().size() == 1 ? Script.failing(FailureCause.OVERLOADED) : Script.hanging(List.of());
        assertThat(api.post("/v1/completions", completion("[\"bb\",\"a\"]", "")).statusCode())
                .isEqualTo(429);
        RequestSpec hanging = api.backend.submitted.element();
        org.awaitility.Awaitility.await()
                .untilAsserted(() -> assertThat(api.backend.cancelled).containsExactly(hanging.request()));
    }

    @Test
    void aStreamIsReadOnFromAnyEventId() {
        api.backend.answers = spec -> Script.words(1, "a", "b", "c");
        HttpResponse<String> whole = api.post("/v1/chat/completions", chat(",\"stream\":true"));
        String id = api.backend.onlySpec().request().value();
        List<String> data = ServedApi.data(whole.body());
        List<String> ids = ServedApi.ids(whole.body());
        assertThat(ids).containsExactly("0", "1", "2t", "2");
        for (int read = 0; read < ids.size(); read++) {
            HttpResponse<String> rest = api.send(HttpRequest.newBuilder(api.uri("/v1/requests/" + id + "/stream"))
                    .header("Last-Event-ID", ids.get(read)));
            // The role chunk has no id of its own, so data is one ahead of ids.
            assertThat(ServedApi.data(rest.body())).isEqualTo(data.subList(read + 2, data.size()));
        }
        HttpResponse<String> again = api.get("/v1/requests/" + id + "/stream");
        assertThat(ServedApi.data(again.body())).isEqualTo(data);
    }

    @Test
    void aStreamThatNobodyKnowsIsNotFound() {
        String id = "chatcmpl-" + "0".repeat(40);
        for (String unknown : List.of(id, "nonsense", "cmpl-zz")) {
            HttpResponse<String> response = api.get("/v1/requests/" + unknown + "/stream");
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(ServedApi.json(response.body()).get("error").get("code").asText())
                    .isEqualTo("request_not_found");
        }
        HttpResponse<String> bad = api.send(HttpRequest.newBuilder(api.uri("/v1/requests/" + id + "/stream"))
                .header("Last-Event-ID", "1,2"));
        assertThat(bad.statusCode()).isEqualTo(400);
    }

    @Test
    void modelsAreListedAndShown() {
        JsonNode list = ServedApi.json(api.get("/v1/models").body());
        assertThat(list.get("object").asText()).isEqualTo("list");
        JsonNode model = list.get("data").get(0);
        assertThat(model.get("id").asText()).isEqualTo("fake/model");
        assertThat(model.get("object").asText()).isEqualTo("model");
        assertThat(ServedApi.json(api.get("/v1/models/fake/model").body())).isEqualTo(model);
        assertThat(ServedApi.json(api.get("/v1/models/fake%2Fmodel").body())).isEqualTo(model);
        HttpResponse<String> other = api.get("/v1/models/other");
        assertThat(other.statusCode()).isEqualTo(404);
        assertThat(ServedApi.json(other.body()).get("error").get("code").asText())
                .isEqualTo("model_not_found");
    }

    @Test
    void readyOnlyWhenTheBackendSaysSo() {
        assertThat(api.get("/health/ready").statusCode()).isEqualTo(200);
        api.backend.readiness = new Backend.Readiness.NotReady("no probe has passed through a handoff yet");
        HttpResponse<String> response = api.get("/health/ready");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(ServedApi.json(response.body()).get("reason").asText()).contains("probe");
        assertThat(api.get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void unknownRoutesAndMethodsAreRefusedInShape() {
        HttpResponse<String> unknown = api.get("/v1/nothing");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(ServedApi.json(unknown.body()).get("error").get("code").asText())
                .isEqualTo("unknown_url");
        HttpResponse<String> method = api.get("/v1/chat/completions");
        assertThat(method.statusCode()).isEqualTo(405);
        assertThat(method.headers().firstValue("Allow")).contains("POST");
        assertThat(ServedApi.json(method.body()).get("error").get("code").asText())
                .isEqualTo("method_not_allowed");
        assertThat(api.post("/metrics", "{}").statusCode()).isEqualTo(405);
    }

    @Test
    void tracesAndClusterAreShown() {
        api.post("/v1/chat/completions", chat(""));
        String id = api.backend.onlySpec().request().value();
        JsonNode trace =
                ServedApi.json(api.get("/admin/v1/requests/" + id + "/trace").body());
        assertThat(trace.get("transitions").get(0).get("machine").asText()).isEqualTo("request");
        assertThat(api.get("/admin/v1/requests/nobody/trace").statusCode()).isEqualTo(404);
        JsonNode cluster = ServedApi.json(api.get("/admin/v1/cluster").body());
        assertThat(cluster.get("status").asText()).isEqualTo("ready");
        assertThat(cluster.get("models").get(0).get("waiting_requests").asInt()).isEqualTo(2);
    }

    @Test
    void metricsCountWhatWasServedAndNameNoClientText() {
        api.post("/v1/chat/completions", chat(",\"user\":\"secret-user\""));
        String text = api.get("/metrics").body();
        assertThat(text)
                .contains("baton_http_requests_total{route=\"chat\",status=\"200\"}")
                .contains("baton_requests_total{cause=\"none\",outcome=\"finished\"}")
                .contains("baton_ttft_seconds_bucket")
                .contains("baton_tpot_seconds_count")
                .contains("baton_tokens_total{kind=\"completion\"}")
                .doesNotContain("secret-user");
    }

    @Test
    void anEmptyLastItemStillEndsItsChoice() {
        api.backend.answers = spec -> new Script(
                List.of(
                        new OutputItem(0, 0, List.of(1), "Hi", null),
                        new OutputItem(1, 0, List.of(2), "", null),
                        new OutputItem(2, 0, List.of(), "", FinishReason.LENGTH)),
                Outcome.FINISHED,
                null);
        HttpResponse<String> response = api.post("/v1/chat/completions", chat(",\"stream\":true"));
        assertThat(ServedApi.ids(response.body())).containsExactly("0", "2");
        assertThat(response.body()).contains("\"finish_reason\":\"length\"");
    }

    @Test
    void aRequestThatMovesIsPulledAgain() {
        api.backend.failingPulls.set(2);
        HttpResponse<String> response = api.post("/v1/chat/completions", chat(",\"stream\":true"));
        assertThat(ServedApi.ids(response.body())).containsExactly("0", "1t", "1");
        assertThat(api.backend.cancelled).isEmpty();
    }
}
