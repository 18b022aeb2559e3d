package dev.baton.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a client sends wrong is told it in OpenAI's shape with the field's name, and the server goes on serving. */
class BadInputTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String COMPLETION = "/v1/completions";
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
    }

    private static void refused(HttpResponse<String> response, int status, String param, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        JsonNode body = ServedApi.json(response.body());
        assertThat(body.size()).isEqualTo(1);
        JsonNode error = body.get("error");
        assertThat(error.fieldNames()).toIterable().containsExactly("message", "type", "param", "code");
        assertThat(error.get("message").asText()).isNotBlank();
        assertThat(error.get("type").asText()).isEqualTo("invalid_request_error");
        assertThat(error.get("param").textValue()).isEqualTo(param);
        assertThat(error.get("code").textValue()).isEqualTo(code);
        if (param != null && !param.equals("model")) {
            assertThat(error.get("message").asText()).contains(param.split("[.]")[0]);
        }
        assertThat(api.backend.submitted).as("nothing reaches a worker").isEmpty();
        serves();
    }

    private static void serves() {
        assertThat(api.post(COMPLETION, "{\"model\":\"fake/model\",\"prompt\":\"a\"}")
                        .statusCode())
                .isEqualTo(200);
        api.backend.submitted.clear();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "temperature       | -0.1                 | invalid_value",
                "temperature       | 2.5                  | invalid_value",
                "temperature       | \"hot\"              | invalid_type",
                "temperature       | 1e999                | invalid_value",
                "temperature       | true                 | invalid_type",
                "temperature       | NaN                  | invalid_json",
                "top_p             | -1                   | invalid_value",
                "top_p             | 1.1                  | invalid_value",
                "top_k             | -2                   | invalid_value",
                "top_k             | 1.5                  | invalid_type",
                "min_p             | 2                    | invalid_value",
                "repetition_penalty| 0                    | invalid_value",
                "presence_penalty  | -3                   | invalid_value",
                "frequency_penalty | 2.01                 | invalid_value",
                "n                 | 0                    | invalid_value",
                "n                 | 5                    | invalid_value",
                "n                 | 99999999999999999999 | invalid_value",
                "n                 | \"2\"                | invalid_type",
                "max_tokens        | 0                    | invalid_value",
                "max_tokens        | -1                   | invalid_value",
                "max_tokens        | 3000000000           | invalid_value",
                "max_tokens        | 1000                 | context_length_exceeded",
                "max_tokens        | 8.0                  | invalid_type",
                "seed              | 0.5                  | invalid_type",
                "seed              | 9223372036854775808  | invalid_value",
                "stop              | 5                    | invalid_type",
                "stop              | [\"a\",\"b\",\"c\",\"d\",\"e\"] | invalid_value",
                "stop.1            | [\"a\",\"\"]         | invalid_value",
                "stop.0            | [null]               | invalid_type",
                "logit_bias        | [1]                  | invalid_type",
                "logit_bias        | {\"x\":1}            | invalid_value",
                "logit_bias        | {\"1000\":1}         | invalid_value",
                "logit_bias.7      | {\"7\":101}          | invalid_value",
                "logit_bias.7      | {\"7\":\"1\"}        | invalid_type",
                "stream            | \"yes\"              | invalid_type",
                "stream            | 1                    | invalid_type",
                "user              | 7                    | invalid_type",
                "ignore_eos        | 0                    | invalid_type",
                "baton             | \"colocated\"        | invalid_type",
                "baton.mode        | {\"mode\":\"fast\"}  | invalid_value",
                "baton.transfer_id | {\"transfer_id\":1}  | unknown_field",
                "kv_transfer_params| {}                   | unknown_field",
                "logprobs          | true                 | unsupported_value",
            })
    void fieldsOfBothKinds(String param, String json, String code) {
        String field = param.contains(".") ? param.substring(0, param.indexOf('.')) : param;
        String more = ",\"" + field + "\":" + json + "}";
        refused(api.post(COMPLETION, "{\"model\":\"fake/model\",\"prompt\":\"abc\"" + more), 400, param, code);
        refused(
                api.post(
                        CHAT, "{\"model\":\"fake/model\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + more),
                400,
                param,
                code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "prompt     | {\"model\":\"fake/model\"}                                | missing_field",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":null}                | missing_field",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":\"\"}                | invalid_value",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":[]}                  | invalid_value",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":7}                   | invalid_type",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":{}}                  | invalid_type",
                "prompt.0   | {\"model\":\"fake/model\",\"prompt\":[[]]}                | invalid_value",
                "prompt.1   | {\"model\":\"fake/model\",\"prompt\":[\"a\",\"\"]}        | invalid_value",
                "prompt.1   | {\"model\":\"fake/model\",\"prompt\":[\"a\",5]}           | invalid_type",
                "prompt.1   | {\"model\":\"fake/model\",\"prompt\":[1,\"a\"]}           | invalid_type",
                "prompt.0   | {\"model\":\"fake/model\",\"prompt\":[-1]}                | invalid_value",
                "prompt.0   | {\"model\":\"fake/model\",\"prompt\":[1000]}              | invalid_value",
                "prompt.1.0 | {\"model\":\"fake/model\",\"prompt\":[[1],[2.5]]}         | invalid_type",
                "prompt.1   | {\"model\":\"fake/model\",\"prompt\":[[1],2]}             | invalid_type",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":[\"a\",\"b\",\"c\",\"d\"]} | invalid_value",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":\"\\ud800\"}         | invalid_unicode",
                "messages   | {\"model\":\"fake/model\",\"prompt\":\"a\",\"messages\":[]} | unknown_field",
                "suffix     | {\"model\":\"fake/model\",\"prompt\":\"a\",\"suffix\":\"b\"} | unsupported_value",
                "best_of    | {\"model\":\"fake/model\",\"prompt\":\"a\",\"best_of\":2}  | unsupported_value",
                "echo       | {\"model\":\"fake/model\",\"prompt\":\"a\",\"echo\":\"x\"} | invalid_type",
                "model      | {\"prompt\":\"a\"}                                         | missing_field",
                "model      | {\"prompt\":\"a\",\"model\":5}                             | invalid_type",
                "stream_options | {\"model\":\"fake/model\",\"prompt\":\"a\",\"stream_options\":5} | invalid_type",
                "stream_options.x | {\"model\":\"fake/model\",\"prompt\":\"a\",\"stream\":true,\"stream_options\":{\"x\":1}} | unknown_field",
                "prompt     | {\"model\":\"fake/model\",\"prompt\":\"a\",\"prompt\":\"b\"} | duplicate_field",
            })
    void completionBodies(String param, String body, String code) {
        refused(api.post(COMPLETION, body), 400, param, code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "messages           | null                                                     | missing_field",
                "messages           | []                                                       | invalid_value",
                "messages           | \"hi\"                                                   | invalid_type",
                "messages.0         | [5]                                                      | invalid_type",
                "messages.0.role    | [{\"content\":\"a\"}]                                    | missing_field",
                "messages.0.role    | [{\"role\":\"king\",\"content\":\"a\"}]                  | invalid_value",
                "messages.0.role    | [{\"role\":\"tool\",\"content\":\"a\"}]                  | unsupported_value",
                "messages.0.content | [{\"role\":\"user\"}]                                    | missing_field",
                "messages.0.content | [{\"role\":\"user\",\"content\":5}]                      | invalid_type",
                "messages.0.content | [{\"role\":\"user\",\"content\":[]}]                     | invalid_value",
                "messages.0.content.0.type | [{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}] | unsupported_value",
                "messages.0.content.0.text | [{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}] | missing_field",
                "messages.0.x       | [{\"role\":\"user\",\"content\":\"a\",\"x\":1}]          | unknown_field",
                "messages.0.tool_calls | [{\"role\":\"user\",\"content\":\"a\",\"tool_calls\":[1]}] | unsupported_value",
                "messages.0.name    | [{\"role\":\"user\",\"content\":\"a\",\"name\":\"b\"}]   | unsupported_value",
                "messages           | [{\"role\":\"user\",\"content\":\"refuse me\"}]          | template_refused",
            })
    void chatMessages(String param, String messages, String code) {
        refused(api.post(CHAT, "{\"model\":\"fake/model\",\"messages\":" + messages + "}"), 400, param, code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tools           | [{\"type\":\"function\"}]   | unsupported_value",
                "tool_choice     | \"required\"               | unsupported_value",
                "response_format | {\"type\":\"json_object\"} | unsupported_value",
                "top_logprobs    | 5                          | unsupported_value",
                "modalities      | [\"audio\"]                | unsupported_value",
                "store           | true                       | unsupported_value",
                "prompt          | \"a\"                      | unknown_field",
            })
    void chatFields(String param, String json, String code) {
        String head = "{\"model\":\"fake/model\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"";
        refused(api.post(CHAT, head + param + "\":" + json + "}"), 400, param, code);
    }

    @Test
    void unknownModel() {
        refused(api.post(COMPLETION, "{\"model\":\"gpt-9\",\"prompt\":\"a\"}"), 404, "model", "model_not_found");
    }

    @Test
    void contradictingLimitsAndOptionsWithoutStream() {
        String head = "{\"model\":\"fake/model\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],";
        refused(api.post(CHAT, head + "\"max_tokens\":1,\"max_completion_tokens\":2}"), 400, "max_tokens", null);
        refused(api.post(CHAT, head + "\"stream_options\":{\"include_usage\":true}}"), 400, "stream_options", null);
        refused(
                api.post(CHAT, head + "\"max_completion_tokens\":61}"),
                400,
                "max_completion_tokens",
                "context_length_exceeded");
    }

    @Test
    void contextExceededTellsTheNumbers() {
        String prompt = "a".repeat(FakeBackend.CONTEXT);
        HttpResponse<String> response =
                api.post(COMPLETION, "{\"model\":\"fake/model\",\"prompt\":\"" + prompt + "\"}");
        assertThat(response.body()).contains("64 tokens");
        refused(response, 400, "prompt", "context_length_exceeded");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | null",
                "` ` | null",
                "[] | null",
                "5 | null",
                "\"a\" | null",
                "null | null",
                "{\"model\": | model",
                "{\"a\":1 | a",
                "{} {} | null",
                "{\"model\":\"fake/model\",\"prompt\":\"a\"}x | null",
                "{'model':1} | null",
                "{\"n\":01} | n",
                "{\"n\":+1} | n",
                "{\"a\":1,} | a"
            })
    void textThatIsNoJsonObject(String body, String param) {
        refused(api.post(COMPLETION, body), 400, "null".equals(param) ? null : param, "invalid_json");
    }

    @Test
    void nestingIsBounded() {
        String deep = "{\"model\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}";
        HttpResponse<String> response = api.post(COMPLETION, deep);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("nested deeper than 16");
        serves();
    }

    @Test
    void hugeNumbersAreRefusedWithoutBeingComputed() {
        String body = "{\"model\":\"fake/model\",\"prompt\":\"a\",\"temperature\":1" + "0".repeat(5_000) + "}";
        refused(api.post(COMPLETION, body), 400, "temperature", "invalid_json");
        body = "{\"model\":\"fake/model\",\"prompt\":\"a\",\"n\":1e999999999}";
        refused(api.post(COMPLETION, body), 400, "n", "invalid_type");
    }

    @Test
    void invalidUtf8() {
        byte[] body = "{\"model\":\"fake/model\",\"prompt\":\"ab\"}".getBytes(StandardCharsets.ISO_8859_1);
        body[body.length - 3] = (byte) 0xff;
        HttpResponse<String> response = api.post(COMPLETION, body, r -> r.header("Content-Type", "application/json"));
        assertThat(response.body()).contains("at byte " + (body.length - 3));
        refused(response, 400, null, "invalid_utf8");
    }

    @Test
    void bodiesOverTheLimitWithAndWithoutALength() {
        for (int bytes : new int[] {16_385, 300_000, 8_000_000}) {
            byte[] body = new byte[bytes];
            java.util.Arrays.fill(body, (byte) ' ');
            refused(
                    api.post(COMPLETION, body, r -> r.header("Content-Type", "application/json")),
                    413,
                    null,
                    "body_too_large");
            HttpRequest.Builder chunked = HttpRequest.newBuilder(api.uri(COMPLETION))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body)));
            refused(api.send(chunked), 413, null, "body_too_large");
        }
    }

    @Test
    void otherMediaTypes() {
        byte[] body = "{\"model\":\"fake/model\",\"prompt\":\"a\"}".getBytes(StandardCharsets.UTF_8);
        for (String type : new String[] {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}) {
            refused(
                    api.post(COMPLETION, body, r -> r.header("Content-Type", type)),
                    415,
                    null,
                    "unsupported_media_type");
        }
        refused(
                api.post(
                        COMPLETION,
                        body,
                        r -> r.header("Content-Type", "application/json").header("Content-Encoding", "gzip")),
                415,
                null,
                "unsupported_media_type");
        assertThat(api.post(COMPLETION, body, r -> r.header("Content-Type", "application/json; charset=utf-8"))
                        .statusCode())
                .isEqualTo(200);
        api.backend.submitted.clear();
        assertThat(api.post(COMPLETION, body, r -> r).statusCode())
                .as("no type at all is taken for JSON")
                .isEqualTo(200);
        api.backend.submitted.clear();
    }
}
