package dev.baton.kernels.model.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A made-up SentencePiece vocabulary of any size, for models with random weights: bytes, printable characters, then letter
 * strings, so that any text encodes and any token prints something.
 */
public final class SyntheticVocabulary {

    private static final int BYTES = 256;
    private static final int FIRST_TEXT = 3 + BYTES;
    /** {@code <unk>}, {@code <s>}, {@code </s>}, the byte tokens, and the space. */
    public static final int SMALLEST = FIRST_TEXT + 1;

    private static final String LETTERS = "etaoinshrdlucmfwypvbgkjqxz";

    private SyntheticVocabulary() {}

    /** @throws IllegalArgumentException below {@link #SMALLEST} */
    public static TokenizerMetadata of(int vocabulary) {
        if (vocabulary < SMALLEST) {
            throw new IllegalArgumentException(
                    "a vocabulary of " + vocabulary + " cannot hold the " + SMALLEST + " tokens it begins with");
        }
        List<String> tokens = new ArrayList<>(vocabulary);
        int[] types = new int[vocabulary];
        Arrays.fill(types, TokenType.NORMAL.code());
        types[0] = TokenType.UNKNOWN.code();
        types[1] = TokenType.CONTROL.code();
        types[2] = TokenType.CONTROL.code();
        tokens.addAll(List.of("<unk>", "<s>", "</s>"));
        for (int value = 0; value < BYTES; value++) {
            types[tokens.size()] = TokenType.BYTE.code();
            tokens.add("<0x%02X>".formatted(value));
        }
        addText(tokens, vocabulary);
        float[] scores = new float[vocabulary];
        for (int id = FIRST_TEXT; id < vocabulary; id++) {
            scores[id] = FIRST_TEXT - id;
        }
        return new TokenizerMetadata(
                Path.of("synthetic"),
                "llama",
                "default",
                tokens,
                scores,
                types,
                List.of(),
                OptionalInt.of(1),
                List.of(2),
                OptionalInt.of(0),
                Optional.of(true),
                Optional.of(true),
                Optional.empty());
    }

    private static void addText(List<String> tokens, int vocabulary) {
        tokens.add("\u2581");
        for (char c = '!'; c <= '~'; c++) {
            tokens.add(String.valueOf(c));
        }
        // Breadth first: each string is one before it and a letter, so pairs merge into every one of them.
        List<String> words = new ArrayList<>(List.of("\u2581"));
        LETTERS.chars().forEach(c -> words.add(String.valueOf((char) c)));
        for (int at = 0; tokens.size() < vocabulary; at++) {
            for (int letter = 0; letter < LETTERS.length() && tokens.size() < vocabulary; letter++) {
                String word = words.get(at) + LETTERS.charAt(letter);
                words.add(word);
                tokens.add(word);
            }
        }
        tokens.subList(vocabulary, tokens.size()).clear();
    }
}
