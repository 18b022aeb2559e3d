package dev.baton.kernels.template;

import com.hubspot.jinjava.interpret.RenderResult;
import com.hubspot.jinjava.interpret.TemplateError;
import dev.baton.kernels.model.gguf.GgufMetadata;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The chat template of a model, rendered as its makers' own tools do: blocks trimmed, nothing escaped, {@code messages},
 * {@code add_generation_prompt}, {@code bos_token}, {@code eos_token}, {@code raise_exception} and {@code strftime_now} given.
 * Text of messages is data and never evaluated. Safe for use by many threads.
 *
 * <p>A model without a template gets a plain one: {@code role: content} and an empty line for each message, then
 * {@code assistant:}.
 */
public final class ChatTemplate {

    /** Longest prompt a template may make, in characters. */
    public static final int MAX_OUTPUT_CHARS = 16 << 20;

    static final String PLAIN = """
            {% for message in messages %}
            {{ message['role'] }}: {{ message['content'] }}

            {% endfor %}
            {% if add_generation_prompt %}assistant:{% endif %}""";

    private final String source;
    private final String translated;
    private final List<String> unknownFilters;
    private final Tokenizer tokenizer;
    private final String bosText;
    private final String eosText;

    private ChatTemplate(String source, Tokenizer tokenizer, String eosText) {
        this.source = source;
        JinjaDialect dialect = JinjaDialect.translate(source);
        this.translated = dialect.translated();
        this.unknownFilters = dialect.filters().stream()
                .filter(name -> !JinjaEngine.knowsFilter(name))
                .toList();
        this.tokenizer = tokenizer;
        this.bosText = text(tokenizer, tokenizer.bos());
        this.eosText = eosText;
    }

    /** The template of a model file, or the plain one. */
    public static ChatTemplate from(GgufMetadata metadata, Tokenizer tokenizer) {
        var eos = metadata.integer("tokenizer.ggml.eos_token_id");
        boolean known = eos.isPresent() && eos.getAsLong() >= 0 && eos.getAsLong() < tokenizer.vocabulary();
        String eosText = known ? tokenizer.tokenText((int) eos.getAsLong()) : "";
        return new ChatTemplate(metadata.string("tokenizer.chat_template").orElse(PLAIN), tokenizer, eosText);
    }

    /** A template given by its source, for a vocabulary whose end token is written {@code eosText}. */
    public static ChatTemplate of(String source, Tokenizer tokenizer, String eosText) {
        return new ChatTemplate(source, tokenizer, eosText);
    }

    /**
     * The text of a prompt.
     *
     * @param addGenerationPrompt whether to open the assistant's turn at the end
     * @throws TemplateException where the template refuses the chat, is broken, or exceeds its bounds
     */
    public String render(List<ChatMessage> messages, boolean addGenerationPrompt) {
        Map<String, Object> bindings = new LinkedHashMap<>();
        List<Map<String, Object>> turns = new ArrayList<>(messages.size());
        for (ChatMessage message : messages) {
            Map<String, Object> turn = new LinkedHashMap<>();
            turn.put("role", message.role());
            turn.put("content", message.content());
            turns.add(turn);
        }
        bindings.put("messages", turns);
        bindings.put("add_generation_prompt", addGenerationPrompt);
        bindings.put("bos_token", bosText);
        bindings.put("eos_token", eosText);
        return render(bindings);
    }

    /**
     * The ids of a prompt: the text with special tokens parsed, and the begin token in front where the model expects one and
     * the template wrote none.
     *
     * @throws TemplateException as {@link #render}
     */
    public int[] encode(List<ChatMessage> messages, boolean addGenerationPrompt) {
        String text = render(messages, addGenerationPrompt);
        boolean begun = !bosText.isEmpty() && text.startsWith(bosText);
        return tokenizer.encode(text, tokenizer.addsBos() && !begun, true);
    }

    /** The Jinja source. */
    public String source() {
        return source;
    }

    private String render(Map<String, Object> bindings) {
        if (!unknownFilters.isEmpty()) {
            throw new TemplateException("the chat template uses filters that Baton does not know: " + unknownFilters);
        }
        RenderResult result;
        try {
            result = JinjaEngine.render(translated, bindings);
        } catch (RuntimeException e) {
            throw new TemplateException("the chat template failed: " + e.getMessage(), e);
        } catch (StackOverflowError e) {
            throw new TemplateException("the chat template nests too deeply", e);
        }
        // Jinjava goes on after errors that Python would raise; a prompt with parts missing must not reach a model.
        if (!result.getErrors().isEmpty()) {
            throw refusal(result.getErrors().getFirst());
        }
        return result.getOutput();
    }

    private static TemplateException refusal(TemplateError error) {
        for (Throwable cause = error.getException(); cause != null; cause = cause.getCause()) {
            if (cause instanceof TemplateException raised) {
                return raised;
            }
        }
        return new TemplateException(
                "the chat template failed at line " + error.getLineno() + ": " + error.getMessage());
    }

    private static String text(Tokenizer tokenizer, OptionalInt id) {
        return id.isPresent() ? tokenizer.tokenText(id.getAsInt()) : "";
    }
}
