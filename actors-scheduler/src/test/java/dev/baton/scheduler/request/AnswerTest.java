package dev.baton.scheduler.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.scheduler.Samples;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AnswerTest {

    /** Token {@code n} is byte {@code n}. */
    private static final Vocabulary BYTES = new Vocabulary() {
        @Override
        public byte[] bytes(int token) {
            return new byte[] {(byte) token};
        }

        @Override
        public List<Integer> endTokens() {
            return List.of(Samples.END);
        }
    };

    private static List<Integer> tokens(String text) {
        List<Integer> tokens = new ArrayList<>();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            tokens.add(b & 0xff);
        }
        return tokens;
    }

    @Test
    void s0x10_textThatMayBeginAStopStringIsHeldBack() {
        RequestSpec spec = Samples.spec(1, 100, "END", "NDX");
        Answer.Advance advance = Answer.EMPTY.accept(tokens("go EN"), spec, BYTES);
        assertThat(advance.text()).isEqualTo("go ");
        assertThat(advance.next().accept(tokens("X"), spec, BYTES).text()).isEqualTo("ENX");
        Answer.Advance stopped = advance.next().accept(tokens("Dlost"), spec, BYTES);
        assertThat(stopped.text()).isEmpty();
        assertThat(stopped.next().finish()).isEqualTo(FinishReason.STOP);
        assertThat(stopped.visible()).hasSize(1);
    }

    @Test
    void s0x10_theEndTokenEndsUnlessItIsIgnored() {
        RequestSpec spec = Samples.spec(1, 3);
        Answer.Advance ended = Answer.EMPTY.accept(List.of(97, Samples.END, 98), spec, BYTES);
        assertThat(ended.visible()).containsExactly(97);
        assertThat(ended.next().finish()).isEqualTo(FinishReason.STOP);
        RequestSpec ignoring = new RequestSpec(
                spec.tenant(),
                spec.request(),
                spec.model(),
                spec.promptTokens(),
                3,
                1,
                List.of(),
                true,
                spec.sampling(),
                false,
                0,
                1000);
        Answer.Advance full = Answer.EMPTY.accept(List.of(97, Samples.END, 98, 99), ignoring, BYTES);
        assertThat(full.visible()).containsExactly(97, Samples.END, 98);
        assertThat(full.next().finish()).isEqualTo(FinishReason.LENGTH);
    }

    @Test
    void s0x10_aCodePointIsNeverSplit() {
        RequestSpec spec = Samples.spec(1, 100);
        List<Integer> euro = tokens("€");
        Answer.Advance part = Answer.EMPTY.accept(euro.subList(0, 2), spec, BYTES);
        assertThat(part.text()).isEmpty();
        assertThat(part.next().accept(euro.subList(2, 3), spec, BYTES).text()).isEqualTo("€");
        Answer.Advance cut = part.next().accept(List.of(Samples.END), spec, BYTES);
        assertThat(cut.text()).isEqualTo("\uFFFD");
    }

    @Test
    void s0x10_theResultDoesNotDependOnHowTokensWereBatched() {
        Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                text.append("abé€".charAt(random.nextInt(4)));
            }
            RequestSpec spec = Samples.spec(1, 5 + random.nextInt(40), "abab", "bé€", "€€a");
            List<Integer> all = tokens(text.toString());
            Answer.Advance whole = Answer.EMPTY.accept(all, spec, BYTES);
            StringBuilder pieces = new StringBuilder();
            Answer answer = Answer.EMPTY;
            for (int from = 0; from < all.size(); ) {
                int to = Math.min(all.size(), from + 1 + random.nextInt(4));
                Answer.Advance advance = answer.accept(all.subList(from, to), spec, BYTES);
                pieces.append(advance.text());
                answer = advance.next();
                from = to;
            }
            assertThat(pieces.toString()).as("round %s", round).isEqualTo(whole.text());
            assertThat(answer).isEqualTo(whole.next());
            for (String stop : spec.stopStrings()) {
                assertThat(whole.text()).doesNotContain(stop);
            }
        }
    }
}
