package dev.baton.kernels.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.kernels.model.gguf.EmbeddedModel;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.tokenizer.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Templates written with the constructs of common model families. {@code expected.json} holds what Python's Jinja2 3.1.6
 * made of them, set up as the transformers library does.
 */
class ChatTemplateTest {

    private static final Tokenizer TOKENIZER = house();

    private static Tokenizer house() {
        try (GgufModel model = EmbeddedModel.open()) {
            return Tokenizer.from(model.metadata());
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream stream = Objects.requireNonNull(
                ChatTemplateTest.class.getResourceAsStream("/dev/baton/kernels/template/" + name))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static Stream<String> cases() throws IOException {
        return new ObjectMapper()
                .readTree(resource("expected.json")).get("expected").properties().stream()
                        .map(entry -> entry.getKey());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void rendersAsPythonDoes(String name) throws IOException {
        JsonNode all = new ObjectMapper().readTree(resource("expected.json"));
        List<String> parts = List.of(name.split("/"));
        List<ChatMessage> chat = new ArrayList<>();
        for (JsonNode turn : all.get("chats").get(parts.get(1))) {
            chat.add(new ChatMessage(
                    turn.get("role").asText(), turn.get("content").asText()));
        }
        ChatTemplate template = ChatTemplate.of(resource(parts.get(0) + ".jinja"), TOKENIZER, "<|end|>");
        boolean open = Boolean.parseBoolean(parts.get(2));
        String expected = all.get("expected").get(name).asText();
        if (expected.startsWith("ERROR ")) {
            assertThatThrownBy(() -> template.render(chat, open))
                    .isInstanceOf(TemplateException.class)
                    .hasMessage("the chat template refuses this chat: " + expected.substring("ERROR ".length()));
        } else {
            assertThat(template.render(chat, open)).isEqualTo(expected);
        }
    }

    private static String render(String source, String content) {
        return ChatTemplate.of(source, TOKENIZER, "<|end|>").render(List.of(new ChatMessage("user", content)), true);
    }

    @Test
    void textOfMessagesIsDataAndNotEscaped() {
        String hostile = "{{ 6 * 7 }} {% raw %} {# no #} <b>&amp; \\n '\"";
        assertThat(render("{{ messages[0].content }}", hostile)).isEqualTo(hostile);
        assertThat(render("{% set t = messages[0]['content'] %}{{ t }}", hostile))
                .isEqualTo(hostile);
    }

    @Test
    void aTemplateThatBeginsTheSequenceItselfGetsNoSecondBegin() {
        ChatMessage hello = new ChatMessage("user", "Hi");
        int[] own = ChatTemplate.of("{{ bos_token }}{{ messages[0].content }}", TOKENIZER, "")
                .encode(List.of(hello), true);
        int[] ours = ChatTemplate.of("{{ messages[0].content }}", TOKENIZER, "").encode(List.of(hello), true);
        assertThat(own).isEqualTo(ours).startsWith(1);
        assertThat(own[1]).isNotEqualTo(1);
    }

    @Test
    void aModelWithoutTemplateGetsThePlainOne() {
        ChatTemplate plain = ChatTemplate.of(ChatTemplate.PLAIN, TOKENIZER, "");
        List<ChatMessage> chat = List.of(new ChatMessage("system", "Be brief."), new ChatMessage("user", "Hi"));
        assertThat(plain.render(chat, true)).isEqualTo("system: Be brief.\n\nuser: Hi\n\nassistant:");
    }

    @Test
    void brokenTemplatesSayWhere() {
        assertThatThrownBy(() -> render("{% for m in messages %}", "x"))
                .isInstanceOf(TemplateException.class)
                .hasMessageContaining("the chat template failed");
        assertThatThrownBy(() -> render("a\n{{ messages[0].content | nosuchfilter }}", "x"))
                .isInstanceOf(TemplateException.class)
                .hasMessage("the chat template uses filters that Baton does not know: [nosuchfilter]");
        assertThatThrownBy(() -> render("{{ 'a' + }}", "x")).isInstanceOf(TemplateException.class);
    }

    @Test
    @Timeout(60)
    void templatesThatGrowWithoutEndAreStopped() {
        String doubling = "{% set ns = namespace(t=messages[0].content) %}"
                + "{% for i in range(100) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}";
        assertThatThrownBy(() -> render(doubling, "0123456789")).isInstanceOf(TemplateException.class);
        String loops =
                "{% for i in range(9000) %}{% for j in range(9000) %}{{ messages[0].content }}{% endfor %}{% endfor %}";
        assertThatThrownBy(() -> render(loops, "0123456789".repeat(1000))).isInstanceOf(TemplateException.class);
    }

    @Test
    @Timeout(60)
    void templatesThatTakeTooLongAreStopped() {
        String loops =
                "{% for i in range(9000) %}{% for j in range(9000) %}{% for k in range(9000) %}{% endfor %}{% endfor %}"
                        + "{% endfor %}";
        assertThatThrownBy(() -> render(loops, "x"))
                .isInstanceOf(TemplateException.class)
                .hasMessage("the chat template took longer than 2 s");
    }

    @Test
    void javaIsOutOfReach() {
        for (String source : List.of(
                "{{ messages[0].content.getClass().forName('java.lang.Runtime') }}",
                "{{ messages.getClass().getClassLoader() }}",
                "{% include '/etc/hostname' %}",
                "{% import '/etc/hostname' as x %}")) {
            String result;
            try {
                result = render(source, "x");
            } catch (TemplateException refused) {
                result = "";
            }
            assertThat(result).as(source).isEmpty();
        }
    }

    @Test
    void datesAreThoseOfStrftime() {
        ZonedDateTime at = ZonedDateTime.of(2026, 7, 4, 9, 5, 6, 0, ZoneOffset.UTC);
        assertThat(Strftime.format("%d %b %Y, %A %H:%M:%S 100%%", at, Locale.ENGLISH))
                .isEqualTo("04 Jul 2026, Saturday 09:05:06 100%");
        assertThatThrownBy(() -> Strftime.format("%Q", at, Locale.ENGLISH)).isInstanceOf(TemplateException.class);
        assertThat(render("{{ strftime_now('%Y') }}", "x")).matches("20\\d\\d");
    }
}
