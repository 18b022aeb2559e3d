package dev.baton.kernels.model.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a file says of its tokenizer ({@code tokenizer.*}).
 *
 * @param model {@code llama} (SentencePiece) or {@code gpt2} (byte-level BPE)
 * @param pre name of the pre-tokenizer, {@code default} where the file has none
 * @param tokens text of each token; byte tokens as {@code <0x0A>}
 * @param scores one per token; empty where the file has none
 * @param types one per token, codes as in {@link TokenType}; empty where the file has none
 * @param merges {@code "left right"} in order of rank; empty for SentencePiece
 * @param bos begin-of-sequence id
 * @param eos ids that end a sequence or a turn by metadata
 * @param unknown id for text that has no token
 * @param addBos whether prompts begin with {@code bos}; absent: by kind
 * @param addSpacePrefix whether SentencePiece puts a space before text; absent: yes
 * @param chatTemplate Jinja source
 */
@SuppressWarnings("ArrayRecordComponent") // as large as a vocabulary; compared by identity
public record TokenizerMetadata(
        Path file,
        String model,
        String pre,
        List<String> tokens,
        float[] scores,
        int[] types,
        List<String> merges,
        OptionalInt bos,
        List<Integer> eos,
        OptionalInt unknown,
        Optional<Boolean> addBos,
        Optional<Boolean> addSpacePrefix,
        Optional<String> chatTemplate) {

    private static final String RECONVERT = "Convert the model again with a current convert_hf_to_gguf.py.";

    public TokenizerMetadata {
        tokens = List.copyOf(tokens);
        merges = List.copyOf(merges);
        eos = List.copyOf(eos);
    }

    /** @throws ModelFileException where the file has no tokenizer, or one whose parts do not fit each other */
    public static TokenizerMetadata from(GgufMetadata metadata) {
        return new Reader(metadata).read();
    }

    /** A refusal of this tokenizer in the words of its file. */
    public ModelFileException refuse(String key, String found, String expected, String cure) {
        return new ModelFileException(file, key, found, expected, cure);
    }

    private record Reader(GgufMetadata metadata) {

        TokenizerMetadata read() {
            List<String> tokens = metadata.strings("tokenizer.ggml.tokens")
                    .orElseThrow(() -> refuse("tokenizer.ggml.tokens", "nothing", "the vocabulary"));
            float[] scores = metadata.floats("tokenizer.ggml.scores").orElse(new float[0]);
            int[] types = metadata.integers("tokenizer.ggml.token_type").orElse(new int[0]);
            sameLength("tokenizer.ggml.scores", scores.length, tokens.size());
            sameLength("tokenizer.ggml.token_type", types.length, tokens.size());
            List<Integer> eos = new ArrayList<>();
            for (String which : new String[] {"eos", "eot", "eom"}) {
                id(which, tokens.size()).ifPresent(eos::add);
            }
            return new TokenizerMetadata(
                    metadata.file(),
                    metadata.string("tokenizer.ggml.model")
                            .orElseThrow(() -> refuse("tokenizer.ggml.model", "nothing", "llama or gpt2")),
                    metadata.string("tokenizer.ggml.pre").orElse("default"),
                    tokens,
                    scores,
                    types,
                    metadata.strings("tokenizer.ggml.merges").orElse(List.of()),
                    id("bos", tokens.size()),
                    eos,
                    id("unknown", tokens.size()),
                    metadata.bool("tokenizer.ggml.add_bos_token"),
                    metadata.bool("tokenizer.ggml.add_space_prefix"),
                    metadata.string("tokenizer.chat_template"));
        }

        private OptionalInt id(String which, int vocabulary) {
            String key = "tokenizer.ggml." + which + "_token_id";
            OptionalLong found = metadata.integer(key);
            if (found.isEmpty() || found.getAsLong() == -1 || found.getAsLong() == 0xffff_ffffL) {
                return OptionalInt.empty();
            }
            if (found.getAsLong() < 0 || found.getAsLong() >= vocabulary) {
                throw refuse(key, "" + found.getAsLong(), "an id below " + vocabulary);
            }
            return OptionalInt.of((int) found.getAsLong());
        }

        private void sameLength(String key, int found, int expected) {
            if (found != 0 && found != expected) {
                throw refuse(key, found + " elements", expected + ", one for each token");
            }
        }

        private ModelFileException refuse(String key, String found, String expected) {
            return new ModelFileException(metadata.file(), key, found, expected, RECONVERT);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
