package dev.baton.runtime.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How far a client has read, as the id of a server-sent event: the last sequence number it has, for several prompts one
 * each, joined by commas; {@code -} where it has nothing. A trailing {@code t} says that it has the item's text but not yet
 * its finish reason, which is an event of its own.
 */
final class StreamPosition {
    private static final int MAX_DIGITS = 9;

    private final int[] last;
    private final boolean[] textOnly;

    private StreamPosition(int[] last, boolean[] textOnly) {
        this.last = last;
        this.textOnly = textOnly;
    }

    static StreamPosition start(int prompts) {
        int[] last = new int[prompts];
        Arrays.fill(last, -1);
        return new StreamPosition(last, new boolean[prompts]);
    }

    /** Empty where the text is no position in a stream of so many prompts. */
    static Optional<StreamPosition> parse(String text, int prompts) {
        String[] parts = text.split(",", -1);
        if (parts.length != prompts) {
            return Optional.empty();
        }
        StreamPosition position = start(prompts);
        for (int i = 0; i < prompts; i++) {
            String digits = parts[i];
            if (digits.equals("-")) {
                continue;
            }
            if (digits.endsWith("t")) {
                position.textOnly[i] = true;
                digits = digits.substring(0, digits.length() - 1);
            }
            boolean number = !digits.isEmpty()
                    && digits.length() <= MAX_DIGITS
                    && digits.chars().allMatch(c -> c >= '0' && c <= '9');
            if (!number) {
                return Optional.empty();
            }
            position.last[i] = Integer.parseInt(digits);
        }
        return Optional.of(position);
    }

    /** First sequence number to pull, for each prompt; an item of which only the text was read is pulled again. */
    List<Integer> next() {
        List<Integer> next = new ArrayList<>();
        for (int i = 0; i < last.length; i++) {
            next.add(textOnly[i] ? last[i] : last[i] + 1);
        }
        return next;
    }

    /** Whether the client already has this item's text. */
    boolean hasText(int prompt, int sequence) {
        return textOnly[prompt] && last[prompt] == sequence;
    }

    boolean atStart() {
        return Arrays.stream(last).allMatch(sequence -> sequence < 0);
    }

    void readText(int prompt, int sequence) {
        last[prompt] = sequence;
        textOnly[prompt] = true;
    }

    void readAll(int prompt, int sequence) {
        last[prompt] = sequence;
        textOnly[prompt] = false;
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < last.length; i++) {
            parts.add(last[i] < 0 ? "-" : last[i] + (textOnly[i] ? "t" : ""));
        }
        return parts.stream().collect(Collectors.joining(","));
    }
}
