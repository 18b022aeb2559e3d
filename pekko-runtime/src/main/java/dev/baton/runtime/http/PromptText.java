package dev.baton.runtime.http;

import dev.baton.kernels.template.ChatMessage;
import java.util.List;

/** Between text and a model's tokens. Safe for use by many threads; encoding a long prompt takes milliseconds of CPU. */
public interface PromptText {

    /** A plain prompt, beginning as the model wants; control tokens written out in it stay text. */
    int[] encodePrompt(String prompt);

    /**
     * A chat through the model's template, which ends where the assistant begins to speak. The rendered text is parsed with
     * control tokens, so a message that spells one out is taken for it: the limit of every textual template.
     *
     * @throws ChatRefused when the template does not take this chat
     */
    int[] encodeChat(List<ChatMessage> messages);

    String decode(List<Integer> tokens);

    /** Token ids are below this. */
    int vocabulary();

    /** The model's template does not take this chat; the message says why in the template's words. */
    final class ChatRefused extends RuntimeException {
        public ChatRefused(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
