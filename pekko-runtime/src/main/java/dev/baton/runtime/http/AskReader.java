package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.kernels.template.ChatMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * From the body of a request to an {@link Ask}. Names, ranges and meanings are OpenAI's; top_k, min_p, repetition_penalty,
 * ignore_eos and baton.mode are ours. Fields that Baton does not serve are accepted with a value that asks for nothing.
 */
final class AskReader {
    private final ApiSettings settings;
    private final Supplier<List<ModelCard>> models;
    private final LongSupplier randomSeeds;
    private final StrictJson json;

    AskReader(ApiSettings settings, Supplier<List<ModelCard>> models, LongSupplier randomSeeds) {
        this.settings = settings;
        this.models = models;
        this.randomSeeds = randomSeeds;
        this.json = new StrictJson(settings.maxJsonDepth(), settings.maxBodyBytes());
    }

    /** @throws ApiError.Refused naming the field at fault */
    Ask chat(byte[] body) {
        ObjectNode object = json.object(body);
        Fields fields = new Fields(object);
        Common common = common(fields);
        OptionalInt newName = fields.integer("max_completion_tokens", 1, Integer.MAX_VALUE);
        OptionalInt oldName = fields.integer("max_tokens", 1, Integer.MAX_VALUE);
        if (newName.isPresent() && oldName.isPresent() && newName.getAsInt() != oldName.getAsInt()) {
            throw ApiError.invalid(
                    "max_tokens", "max_tokens and max_completion_tokens contradict each other; give one.");
        }
        String tokensField = newName.isPresent() ? "max_completion_tokens" : "max_tokens";
        UnservedFields.ofChat(fields);
        List<ChatMessage> messages = MessagesReader.read(fields.required("messages"));
        fields.refuseUnknown();
        List<Integer> tokens;
        try {
            tokens = IntStream.of(common.model.text().encodeChat(messages))
                    .boxed()
                    .toList();
        } catch (PromptText.ChatRefused e) {
            throw ApiError.invalid(
                    "messages",
                    "template_refused",
                    "The model's chat template refuses the messages: " + e.getMessage());
        }
        OptionalInt asked = newName.isPresent() ? newName : oldName;
        Ask.Prompt prompt = prompt(common, "messages", tokens, "", tokensField, asked, settings.defaultChatTokens());
        return common.ask(AnswerId.Kind.CHAT, List.of(prompt));
    }

    /** @throws ApiError.Refused naming the field at fault */
    Ask completion(byte[] body) {
        ObjectNode object = json.object(body);
        Fields fields = new Fields(object);
        Common common = common(fields);
        OptionalInt maxTokens = fields.integer("max_tokens", 1, Integer.MAX_VALUE);
        boolean echo = fields.flag("echo", false);
        UnservedFields.ofCompletion(fields, common.choices);
        JsonNode prompt = fields.required("prompt");
        fields.refuseUnknown();
        List<PromptsReader.TokenPrompt> read =
                new PromptsReader(common.model.text(), settings.maxPrompts()).read(prompt);
        List<Ask.Prompt> prompts = new ArrayList<>();
        for (PromptsReader.TokenPrompt one : read) {
            String before = echo ? one.text() : "";
            int most = settings.defaultCompletionTokens();
            prompts.add(prompt(common, one.path(), one.tokens(), before, "max_tokens", maxTokens, most));
        }
        return common.ask(AnswerId.Kind.COMPLETION, prompts);
    }

    /** What both kinds of request have. */
    private record Common(
            ModelCard model,
            int choices,
            List<String> stops,
            boolean ignoreEos,
            SamplingParams sampling,
            boolean colocated,
            boolean stream,
            boolean includeUsage) {
        Ask ask(AnswerId.Kind kind, List<Ask.Prompt> prompts) {
            return new Ask(kind, model, prompts, choices, stops, ignoreEos, sampling, colocated, stream, includeUsage);
        }
    }

    private Common common(Fields fields) {
        ModelCard model = model(fields.requiredText("model"));
        int choices = fields.integer("n", 1, settings.maxChoices(), 1);
        boolean stream = fields.flag("stream", false);
        boolean includeUsage = includeUsage(fields, stream);
        List<String> stops = StopsReader.read(fields.value("stop"));
        boolean ignoreEos = fields.flag("ignore_eos", false);
        boolean colocated = colocated(fields);
        SamplingParams sampling = SamplingReader.read(fields, model.text().vocabulary(), randomSeeds);
        fields.text("user");
        return new Common(model, choices, stops, ignoreEos, sampling, colocated, stream, includeUsage);
    }

    private ModelCard model(String name) {
        List<ModelCard> served = models.get();
        return served.stream()
                .filter(card -> card.id().value().equals(name))
                .findFirst()
                .orElseThrow(() -> ApiError.modelNotFound(
                        name.length() > 128 ? name.substring(0, 128) + "…" : name,
                        served.stream().map(card -> card.id().value()).collect(Collectors.joining(", "))));
    }

    private static boolean includeUsage(Fields fields, boolean stream) {
        @Nullable JsonNode value = fields.value("stream_options");
        if (value == null) {
            return false;
        }
        if (!(value instanceof ObjectNode object)) {
            throw Fields.wrongType("stream_options", "an object", value);
        }
        if (!stream) {
            throw ApiError.invalid("stream_options", "stream_options is only for requests with stream = true.");
        }
        Fields options = new Fields(object, "stream_options.");
        boolean includeUsage = options.flag("include_usage", false);
        // Padding against traffic analysis, which newer clients may switch off; we never pad.
        options.unsupported("include_obfuscation", v -> v.isBoolean() && !v.booleanValue(), "leave it out");
        options.refuseUnknown();
        return includeUsage;
    }

    private boolean colocated(Fields fields) {
        @Nullable JsonNode value = fields.value("baton");
        if (value == null) {
            return settings.colocated();
        }
        if (!(value instanceof ObjectNode object)) {
            throw Fields.wrongType("baton", "an object", value);
        }
        Fields baton = new Fields(object, "baton.");
        @Nullable String mode = baton.text("mode");
        baton.refuseUnknown();
        if (mode == null) {
            return settings.colocated();
        }
        return switch (mode) {
            case "colocated" -> true;
            case "disaggregated" -> false;
            default ->
                throw ApiError.invalid(
                        "baton.mode", "invalid_value", "baton.mode must be \"colocated\" or \"disaggregated\".");
        };
    }

    private static Ask.Prompt prompt(
            Common common,
            String promptField,
            List<Integer> tokens,
            String echo,
            String tokensField,
            OptionalInt asked,
            int otherwise) {
        int context = common.model.contextTokens();
        long room = (long) context - tokens.size();
        if (tokens.size() == 0) {
            throw ApiError.invalid(promptField, "invalid_value", promptField + " has no tokens; it must not be empty.");
        }
        if (room < 1) {
            throw ApiError.invalid(
                    promptField,
                    "context_length_exceeded",
                    "This model's context is " + context + " tokens; the prompt has " + tokens.size()
                            + " and leaves no room for an answer. Shorten it.");
        }
        if (asked.isPresent() && asked.getAsInt() > room) {
            throw ApiError.invalid(
                    tokensField,
                    "context_length_exceeded",
                    "This model's context is " + context + " tokens; the prompt has " + tokens.size() + " and "
                            + tokensField + " asks for " + asked.getAsInt() + ", together "
                            + ((long) tokens.size() + asked.getAsInt()) + ". Ask for at most " + room + ".");
        }
        int most = (int) Math.min(room, asked.orElse(otherwise));
        return new Ask.Prompt(tokens, most, echo);
    }
}
