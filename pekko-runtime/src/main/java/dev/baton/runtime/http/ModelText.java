package dev.baton.runtime.http;

import dev.baton.kernels.template.ChatMessage;
import dev.baton.kernels.template.ChatTemplate;
import dev.baton.kernels.template.TemplateException;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.util.List;

/** The text side of a model file: its own vocabulary and chat template. */
public record ModelText(Tokenizer tokenizer, ChatTemplate template) implements PromptText {

    @Override
    public int[] encodePrompt(String prompt) {
        return tokenizer.encode(prompt, tokenizer.addsBos(), false);
    }

    @Override
    public int[] encodeChat(List<ChatMessage> messages) {
        try {
            return template.encode(messages, true);
        } catch (TemplateException e) {
            throw new ChatRefused(e.getMessage() == null ? "no reason given" : e.getMessage(), e);
        }
    }

    @Override
    public String decode(List<Integer> tokens) {
        return tokenizer.decode(tokens.stream().mapToInt(Integer::intValue).toArray());
    }

    @Override
    public int vocabulary() {
        return tokenizer.vocabulary();
    }
}
