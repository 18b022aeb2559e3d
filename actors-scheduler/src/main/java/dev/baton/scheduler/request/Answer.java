package dev.baton.scheduler.request;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One choice so far, under the stop rules: end-of-sequence token, stop strings, length. Rules are applied token by token, so
 * the result does not depend on how tokens were batched.
 *
 * @param tokens visible to the client: all that were produced, without the end-of-sequence token
 * @param heldBytes bytes of an incomplete code point, one char per byte (ISO 8859-1)
 * @param heldText text that may be the beginning of a stop string
 * @param finish why it ended; null while it goes on
 */
public record Answer(
        List<Integer> tokens,
        String heldBytes,
        String heldText,
        @Nullable FinishReason finish) {

    public static final Answer EMPTY = new Answer(List.of(), "", "", null);

    public Answer {
        tokens = List.copyOf(tokens);
    }

    /** What new tokens led to: {@code visible} of them reached the client, with {@code text}. */
    public record Advance(Answer next, List<Integer> visible, String text) {
        public Advance {
            visible = List.copyOf(visible);
        }
    }

    public boolean ended() {
        return finish != null;
    }

    public Advance accept(List<Integer> produced, RequestSpec spec, Vocabulary vocabulary) {
        List<Integer> visible = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        String bytes = heldBytes;
        String held = heldText;
        FinishReason end = finish;
        for (int i = 0; i < produced.size() && end == null; i++) {
            int token = produced.get(i);
            boolean last = !spec.ignoreEos() && vocabulary.endTokens().contains(token);
            if (!last) {
                visible.add(token);
                bytes += new String(vocabulary.bytes(token), StandardCharsets.ISO_8859_1);
            }
            boolean full = tokens.size() + visible.size() >= spec.maxTokens();
            Piece piece = decode(bytes, last || full);
            bytes = piece.heldBytes();
            String candidate = held + piece.text();
            int stop = firstStop(candidate, spec.stopStrings());
            if (stop >= 0) {
                text.append(candidate, 0, stop);
                held = "";
                bytes = "";
                end = FinishReason.STOP;
            } else if (last || full) {
                text.append(candidate);
                held = "";
                end = last ? FinishReason.STOP : FinishReason.LENGTH;
            } else {
                int keep = possibleStop(candidate, spec.stopStrings());
                text.append(candidate, 0, candidate.length() - keep);
                held = candidate.substring(candidate.length() - keep);
            }
        }
        List<Integer> all = new ArrayList<>(tokens);
        all.addAll(visible);
        return new Advance(new Answer(all, bytes, held, end), visible, text.toString());
    }

    private static int firstStop(String text, List<String> stops) {
        int first = -1;
        for (String stop : stops) {
            int at = stop.isEmpty() ? -1 : text.indexOf(stop);
            if (at >= 0 && (first < 0 || at < first)) {
                first = at;
            }
        }
        return first;
    }

    /** Length of the longest end of {@code text} with which a stop string begins. */
    private static int possibleStop(String text, List<String> stops) {
        int longest = 0;
        for (String stop : stops) {
            for (int n = Math.min(stop.length() - 1, text.length()); n > longest; n--) {
                if (text.endsWith(stop.substring(0, n))) {
                    longest = n;
                }
            }
        }
        return longest;
    }

    private record Piece(String text, String heldBytes) {}

    private static Piece decode(String bytes, boolean end) {
        CharsetDecoder utf8 = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        ByteBuffer input = ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1));
        CharBuffer output = CharBuffer.allocate(input.remaining() + 1);
        utf8.decode(input, output, end);
        if (end) {
            utf8.flush(output);
        }
        String rest = StandardCharsets.ISO_8859_1.decode(input).toString();
        return new Piece(output.flip().toString(), rest);
    }
}
