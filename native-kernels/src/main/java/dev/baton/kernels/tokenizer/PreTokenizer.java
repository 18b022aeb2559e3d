package dev.baton.kernels.tokenizer;

import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts text into words before byte-level merging; no merge crosses a cut. The expressions are those the models were trained
 * with. Each is a run of character classes whose alternatives consume what they look at, so a match costs time linear in the
 * text, whatever it holds.
 */
enum PreTokenizer {
    GPT_2("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", false),
    /** Numbers in groups of three; a word that is a token stays whole even where merges would not build it. */
    LLAMA_3(
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                    + "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            true),
    /** Numbers digit by digit. Text is not normalised: a GGUF file says nothing of it, and decoding stays lossless. */
    QWEN_2(
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
                    + "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            false);

    /** Receives one word, {@code [from, to)} of the text. */
    @FunctionalInterface
    interface WordConsumer {
        void accept(int from, int to);
    }

    private final Pattern pattern;
    private final boolean wholeWordsFirst;

    PreTokenizer(String pattern, boolean wholeWordsFirst) {
        this.pattern = Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS | Pattern.UNICODE_CASE);
        this.wholeWordsFirst = wholeWordsFirst;
    }

    static PreTokenizer of(TokenizerMetadata metadata) {
        return switch (metadata.pre()) {
            case "gpt-2" -> GPT_2;
            case "llama-bpe", "llama3", "llama-v3" -> LLAMA_3;
            case "qwen2" -> QWEN_2;
            default ->
                throw metadata.refuse(
                        "tokenizer.ggml.pre",
                        metadata.pre(),
                        "gpt-2, llama-bpe or qwen2",
                        "Prompts would be cut differently than in training: use a model with one of these.");
        };
    }

    boolean wholeWordsFirst() {
        return wholeWordsFirst;
    }

    void split(String text, WordConsumer word) {
        Matcher matcher = pattern.matcher(text);
        int at = 0;
        while (matcher.find()) {
            if (matcher.start() > at) {
                word.accept(at, matcher.start());
            }
            word.accept(matcher.start(), matcher.end());
            at = matcher.end();
        }
        if (at < text.length()) {
            word.accept(at, text.length());
        }
    }
}
