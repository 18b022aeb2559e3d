package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Predicate;

/** OpenAI's fields that Baton does not serve, with the values that ask for nothing. */
final class UnservedFields {
    private static final String LEAVE_OUT = "leave it out";

    private UnservedFields() {}

    static void ofChat(Fields fields) {
        ofBoth(fields);
        fields.unsupported("logprobs", UnservedFields::isFalse, LEAVE_OUT);
        fields.unsupported("top_logprobs", value -> value.isInt() && value.intValue() == 0, LEAVE_OUT);
        fields.unsupported("tools", UnservedFields::isEmpty, "tools are not served; leave it out");
        fields.unsupported("tool_choice", oneOf("none", "auto"), "tools are not served; leave it out");
        fields.unsupported("parallel_tool_calls", JsonNode::isBoolean, LEAVE_OUT);
        fields.unsupported("functions", UnservedFields::isEmpty, "functions are not served; leave it out");
        fields.unsupported("function_call", oneOf("none", "auto"), "functions are not served; leave it out");
        fields.unsupported("response_format", UnservedFields::isPlainText, "only {\"type\":\"text\"} is served");
        fields.unsupported("modalities", UnservedFields::isTextOnly, "only [\"text\"] is served");
        fields.unsupported("audio", UnservedFields::never, "only text is served; leave it out");
        fields.unsupported("prediction", UnservedFields::never, LEAVE_OUT);
        fields.unsupported("reasoning_effort", oneOf("none"), LEAVE_OUT);
        fields.unsupported("verbosity", UnservedFields::never, LEAVE_OUT);
        fields.unsupported("web_search_options", UnservedFields::never, LEAVE_OUT);
    }

    static void ofCompletion(Fields fields, int choices) {
        ofBoth(fields);
        fields.unsupported("logprobs", UnservedFields::isFalse, LEAVE_OUT);
        fields.unsupported(
                "suffix", value -> value.isTextual() && value.textValue().isEmpty(), LEAVE_OUT);
        fields.unsupported("best_of", value -> value.isInt() && value.intValue() == choices, "give n instead");
    }

    private static void ofBoth(Fields fields) {
        fields.unsupported("store", UnservedFields::isFalse, "nothing is stored; leave it out");
        fields.unsupported("metadata", UnservedFields::isEmpty, LEAVE_OUT);
        fields.unsupported("service_tier", oneOf("auto", "default"), "there is one tier; leave it out");
    }

    private static boolean isFalse(JsonNode value) {
        return value.isBoolean() && !value.booleanValue();
    }

    static boolean isEmpty(JsonNode value) {
        return value.isContainerNode() && value.isEmpty();
    }

    /** Only absence and null ask for nothing. */
    static boolean never(JsonNode value) {
        return false;
    }

    private static Predicate<JsonNode> oneOf(String... words) {
        return value -> {
            for (String word : words) {
                if (value.isTextual() && value.textValue().equals(word)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static boolean isPlainText(JsonNode value) {
        return value.isObject()
                && value.size() == 1
                && value.path("type").asText().equals("text");
    }

    private static boolean isTextOnly(JsonNode value) {
        return value.isArray() && value.size() == 1 && value.get(0).asText().equals("text");
    }
}
