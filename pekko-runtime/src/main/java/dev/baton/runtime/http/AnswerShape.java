package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.scheduler.request.FinishReason;
import org.jspecify.annotations.Nullable;

/** OpenAI's JSON around the text of an answer, for chats and completions, whole and in chunks. */
record AnswerShape(AnswerId id, String model) {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** The first chunk of a chat choice, which says who speaks. */
    ObjectNode roleChunk(int index) {
        ObjectNode chunk = head("chat.completion.chunk");
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        choice.putObject("delta").put("role", "assistant").put("content", "").putNull("refusal");
        choice.putNull("logprobs").putNull("finish_reason");
        return chunk;
    }

    ObjectNode textChunk(int index, String text) {
        return chunk(index, text, null);
    }

    ObjectNode finishChunk(int index, FinishReason finish) {
        return chunk(index, "", finish);
    }

    private ObjectNode chunk(int index, String text, @Nullable FinishReason finish) {
        boolean chat = id.kind() == AnswerId.Kind.CHAT;
        ObjectNode chunk = head(chat ? "chat.completion.chunk" : "text_completion");
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        if (!chat) {
            choice.put("text", text);
        } else {
            ObjectNode delta = choice.putObject("delta");
            if (finish == null) {
                delta.put("content", text);
            }
        }
        choice.putNull("logprobs").put("finish_reason", word(finish));
        return chunk;
    }

    /** The chunk after all choices: no choice, only usage. */
    ObjectNode usageChunk(UsageSum usage) {
        boolean chat = id.kind() == AnswerId.Kind.CHAT;
        ObjectNode chunk = head(chat ? "chat.completion.chunk" : "text_completion");
        chunk.putArray("choices");
        chunk.set("usage", usage.json());
        return chunk;
    }

    /** A whole answer without choices; {@link #addChoice} puts them in. */
    ObjectNode whole() {
        ObjectNode answer = head(id.kind() == AnswerId.Kind.CHAT ? "chat.completion" : "text_completion");
        answer.putArray("choices");
        return answer;
    }

    void addChoice(ObjectNode whole, int index, String text, FinishReason finish) {
        ObjectNode choice = whole.withArray("choices").addObject();
        choice.put("index", index);
        if (id.kind() == AnswerId.Kind.CHAT) {
            choice.putObject("message")
                    .put("role", "assistant")
                    .put("content", text)
                    .putNull("refusal");
        } else {
            choice.put("text", text);
        }
        choice.putNull("logprobs").put("finish_reason", word(finish));
    }

    private ObjectNode head(String object) {
        return JSON.objectNode()
                .put("id", id.value())
                .put("object", object)
                .put("created", id.createdEpochSeconds())
                .put("model", model);
    }

    private static @Nullable String word(@Nullable FinishReason finish) {
        if (finish == null) {
            return null;
        }
        return switch (finish) {
            case STOP -> "stop";
            case LENGTH -> "length";
        };
    }
}
