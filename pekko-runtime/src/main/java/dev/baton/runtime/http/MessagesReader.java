package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.kernels.template.ChatMessage;
import java.util.ArrayList;
import java.util.List;

/** {@code messages}: turns of text; what assistants once answered may be sent back as it came. */
final class MessagesReader {
    private static final int MAX_MESSAGES = 1_024;

    private MessagesReader() {}

    static List<ChatMessage> read(JsonNode messages) {
        if (!messages.isArray()) {
            throw Fields.wrongType("messages", "an array", messages);
        }
        if (messages.isEmpty()) {
            throw ApiError.invalid("messages", "invalid_value", "messages must not be empty.");
        }
        if (messages.size() > MAX_MESSAGES) {
            throw ApiError.invalid("messages", "invalid_value", "messages has more than " + MAX_MESSAGES + " entries.");
        }
        List<ChatMessage> chat = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            chat.add(message("messages." + i, messages.get(i)));
        }
        return chat;
    }

    private static ChatMessage message(String path, JsonNode value) {
        if (!(value instanceof ObjectNode object)) {
            throw Fields.wrongType(path, "an object", value);
        }
        Fields fields = new Fields(object, path + ".");
        String role = role(fields);
        String content = content(fields.path("content"), fields.required("content"));
        fields.unsupported("name", UnservedFields::never, "write the name into the content");
        fields.unsupported("tool_calls", UnservedFields::isEmpty, "tools are not served; leave it out");
        fields.unsupported("tool_call_id", UnservedFields::never, "tools are not served; leave it out");
        fields.unsupported("function_call", UnservedFields::never, "functions are not served; leave it out");
        fields.unsupported("refusal", UnservedFields::never, "leave it out");
        fields.unsupported("annotations", UnservedFields::isEmpty, "leave it out");
        fields.unsupported("audio", UnservedFields::never, "only text is served; leave it out");
        fields.refuseUnknown();
        return new ChatMessage(role, content);
    }

    private static String role(Fields fields) {
        String role = fields.requiredText("role");
        return switch (role) {
            case "system", "user", "assistant" -> role;
            case "developer" -> "system";
            case "tool", "function" -> throw ApiError.unsupported(fields.path("role"), role, "tools are not served");
            default ->
                throw ApiError.invalid(
                        fields.path("role"),
                        "invalid_value",
                        fields.path("role") + " must be system, developer, user or assistant.");
        };
    }

    /** A string, or an array of text parts, which are joined without anything between. */
    private static String content(String path, JsonNode value) {
        if (value.isTextual()) {
            return Fields.text(path, value);
        }
        if (!value.isArray()) {
            throw Fields.wrongType(path, "a string or an array of text parts", value);
        }
        if (value.isEmpty()) {
            throw ApiError.invalid(path, "invalid_value", path + " must not be empty.");
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < value.size(); i++) {
            text.append(part(path + "." + i, value.get(i)));
        }
        return text.toString();
    }

    private static String part(String path, JsonNode value) {
        if (!(value instanceof ObjectNode object)) {
            throw Fields.wrongType(path, "an object {\"type\":\"text\",\"text\":…}", value);
        }
        Fields fields = new Fields(object, path + ".");
        String type = fields.requiredText("type");
        if (!type.equals("text")) {
            throw ApiError.unsupported(fields.path("type"), "another type than \"text\"", "only text is served");
        }
        String text = fields.requiredText("text");
        fields.refuseUnknown();
        return text;
    }
}
