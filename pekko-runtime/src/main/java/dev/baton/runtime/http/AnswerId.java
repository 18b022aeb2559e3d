package dev.baton.runtime.http;

import dev.baton.contract.identity.RequestId;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id a client sees, and from which any node can serve the rest of the answer: {@code chatcmpl-} or {@code cmpl-}, the
 * creation time in seconds as 8 hex digits, 128 random bits, and for several prompts {@code -pPnN}. The id is the capability
 * to read the answer, hence the randomness. With one prompt it is the request id itself; prompt {@code i} of several runs
 * under {@code id.i}.
 */
record AnswerId(String value, Kind kind, long createdEpochSeconds, int prompts, int choices) {

    enum Kind {
        CHAT("chatcmpl-"),
        COMPLETION("cmpl-");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }
    }

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RANDOM_BYTES = 16;
    private static final int SHOWN_CHARS = 24;
    private static final int MAX_CHARS = 80;
    private static final Pattern SHAPE =
            Pattern.compile("(chatcmpl-|cmpl-)([0-9a-f]{8})[0-9a-f]{32}(?:-p([1-9][0-9]{0,3})n([1-9][0-9]{0,3}))?");

    static AnswerId mint(Kind kind, long createdEpochSeconds, int prompts, int choices) {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        String time = HexFormat.of().toHexDigits((int) createdEpochSeconds);
        String shape = prompts == 1 ? "" : "-p" + prompts + "n" + choices;
        String value = kind.prefix + time + HexFormat.of().formatHex(random) + shape;
        return new AnswerId(value, kind, createdEpochSeconds, prompts, choices);
    }

    /** Empty where the text is no id of this shape. */
    static Optional<AnswerId> parse(String text) {
        if (text.length() > MAX_CHARS) {
            return Optional.empty();
        }
        Matcher matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Kind kind = matcher.group(1).equals(Kind.CHAT.prefix) ? Kind.CHAT : Kind.COMPLETION;
        long created = Long.parseLong(matcher.group(2), 16);
        boolean several = matcher.group(3) != null;
        int prompts = several ? Integer.parseInt(matcher.group(3)) : 1;
        int choices = several ? Integer.parseInt(matcher.group(4)) : 1;
        return Optional.of(new AnswerId(text, kind, created, prompts, choices));
    }

    RequestId request(int prompt) {
        return new RequestId(prompts == 1 ? value : value + "." + prompt);
    }

    /** Index among all choices of the answer (OpenAI: prompt by prompt). */
    int choiceIndex(int prompt, int choice) {
        return prompts == 1 ? choice : prompt * choices + choice;
    }

    /** The beginning, for logs: enough to find a request, too little to read its answer. */
    static String shortName(RequestId request) {
        return request.value().substring(0, Math.min(request.value().length(), SHOWN_CHARS));
    }
}
