package dev.baton.kernels.sampling;

import java.util.Arrays;
import java.util.Objects;

/** The tokens of one choice so far, prompt first. Grows as the answer does; not thread-safe. */
public final class TokenHistory {

    private int[] tokens;
    private int size;
    private final int promptTokens;

    private TokenHistory(int[] tokens, int promptTokens) {
        this.tokens = tokens;
        this.size = tokens.length;
        this.promptTokens = promptTokens;
    }

    public static TokenHistory ofPrompt(int[] promptIds) {
        return new TokenHistory(promptIds.clone(), promptIds.length);
    }

    /** A request that continues: its prompt, and what it answered already. */
    public static TokenHistory of(int[] promptIds, int[] answerIds) {
        int[] all = Arrays.copyOf(promptIds, promptIds.length + answerIds.length);
        System.arraycopy(answerIds, 0, all, promptIds.length, answerIds.length);
        return new TokenHistory(all, promptIds.length);
    }

    public void append(int id) {
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, Math.max(64, size * 2));
        }
        tokens[size++] = id;
    }

    public int id(int index) {
        return tokens[Objects.checkIndex(index, size)];
    }

    /** Prompt and answer together. */
    public int size() {
        return size;
    }

    public int promptTokens() {
        return promptTokens;
    }

    /** Index of the next token of the answer, 0 for the first. */
    public int answerTokens() {
        return size - promptTokens;
    }
}
