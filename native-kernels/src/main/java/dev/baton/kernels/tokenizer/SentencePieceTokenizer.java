package dev.baton.kernels.tokenizer;

import dev.baton.kernels.model.gguf.TokenType;
import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SentencePiece BPE as GGUF files of tokenizer model {@code llama} describe it: spaces become {@code ▁}, characters merge by
 * the score of what they become, and characters without a token fall back to byte tokens.
 */
final class SentencePieceTokenizer implements Tokenizer {

    private static final char SPACE_MARK = '\u2581';

    private final Vocabulary vocabulary;
    private final boolean addBos;
    private final boolean addSpacePrefix;
    /** Token of each byte, or the unknown token. */
    private final int[] byteTokens;
    /** Dense rank of each token's score, 0 the best; equal scores share a rank. */
    private final int[] ranks;

    private final int longestToken;

    SentencePieceTokenizer(TokenizerMetadata metadata) {
        this.vocabulary = new Vocabulary(metadata);
        this.addBos = metadata.addBos().orElse(true);
        this.addSpacePrefix = metadata.addSpacePrefix().orElse(true);
        this.byteTokens = byteTokens(metadata);
        this.ranks = ranks(metadata);
        this.longestToken = vocabulary.plain().keySet().stream()
                .mapToInt(String::length)
                .max()
                .orElse(0);
    }

    private int[] byteTokens(TokenizerMetadata metadata) {
        int[] ids = new int[256];
        Arrays.fill(ids, vocabulary.unknown().orElse(-1));
        for (int id = 0; id < vocabulary.size(); id++) {
            if (vocabulary.type(id) == TokenType.BYTE) {
                ids[byteValue(metadata, id)] = id;
            }
        }
        for (int value = 0; value < ids.length; value++) {
            if (ids[value] < 0) {
                throw metadata.refuse(
                        "tokenizer.ggml.tokens",
                        "no token for the byte 0x%02X and no unknown token".formatted(value),
                        "all 256 byte tokens, or tokenizer.ggml.unknown_token_id",
                        "Convert the model again with a current convert_hf_to_gguf.py.");
            }
        }
        return ids;
    }

    private int byteValue(TokenizerMetadata metadata, int id) {
        String text = vocabulary.text(id);
        if (!text.matches("<0x[0-9A-Fa-f]{2}>")) {
            throw metadata.refuse(
                    "tokenizer.ggml.tokens[" + id + "]",
                    "the byte token \"" + text + "\"",
                    "the form <0x0A>",
                    "Convert the model again with a current convert_hf_to_gguf.py.");
        }
        return Integer.parseInt(text.substring(3, 5), 16);
    }

    private static int[] ranks(TokenizerMetadata metadata) {
        float[] scores = metadata.scores();
        if (scores.length == 0) {
            throw metadata.refuse(
                    "tokenizer.ggml.scores",
                    "nothing",
                    "a score for each token",
                    "Convert the model again with a current convert_hf_to_gguf.py.");
        }
        float[] sorted = scores.clone();
        for (int id = 0; id < sorted.length; id++) {
            if (Float.isNaN(sorted[id])) {
                throw metadata.refuse(
                        "tokenizer.ggml.scores[" + id + "]",
                        "NaN",
                        "a number",
                        "Convert the model again with a current convert_hf_to_gguf.py.");
            }
            sorted[id] = sorted[id] + 0f; // -0 and 0 are one score
        }
        Arrays.sort(sorted);
        int distinct = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[distinct - 1]) {
                sorted[distinct++] = sorted[i];
            }
        }
        int[] ranks = new int[scores.length];
        for (int id = 0; id < scores.length; id++) {
            ranks[id] = distinct - 1 - Arrays.binarySearch(sorted, 0, distinct, scores[id] + 0f);
        }
        return ranks;
    }

    @Override
    public int[] encode(String text, boolean withBos, boolean parseSpecial) {
        IdBuffer ids = new IdBuffer(text.length() / 3 + 8);
        if (withBos) {
            vocabulary.bos().ifPresent(ids::add);
        }
        vocabulary
                .special(parseSpecial)
                .split(text, (from, to) -> encodeOrdinary(text.substring(from, to), ids), ids::add);
        return ids.toArray();
    }

    private void encodeOrdinary(String text, IdBuffer ids) {
        String marked = (addSpacePrefix ? " " + text : text).replace(' ', SPACE_MARK);
        new Merge(marked).into(ids);
    }

    /** One stretch of text. A symbol is an index into the pieces seen so far: their start, end and token. */
    private final class Merge implements PairMerger.Rules {

        private final String text;
        private final int[] starts;
        private final int[] ends;
        private final int[] tokens;
        private int pieces;

        Merge(String text) {
            this.text = text;
            int characters = text.codePointCount(0, text.length());
            // Each merge makes one piece out of two, so there are fewer than twice as many as characters.
            this.starts = new int[2 * characters];
            this.ends = new int[2 * characters];
            this.tokens = new int[2 * characters];
        }

        void into(IdBuffer ids) {
            int[] symbols = new int[starts.length / 2];
            for (int at = 0; at < text.length(); ) {
                int end = text.offsetByCodePoints(at, 1);
                symbols[pieces] = pieces;
                addPiece(at, end, token(at, end));
                at = end;
            }
            int kept = PairMerger.merge(this, symbols);
            for (int i = 0; i < kept; i++) {
                emit(symbols[i], ids);
            }
        }

        private void emit(int piece, IdBuffer ids) {
            if (tokens[piece] >= 0) {
                ids.add(tokens[piece]);
                return;
            }
            byte[] utf8 = text.substring(starts[piece], ends[piece]).getBytes(StandardCharsets.UTF_8);
            int before = -1;
            for (byte b : utf8) {
                int id = byteTokens[b & 0xff];
                boolean repeatedUnknown = id == before && vocabulary.type(id) == TokenType.UNKNOWN;
                if (!repeatedUnknown) {
                    ids.add(id);
                }
                before = id;
            }
        }

        private int addPiece(int start, int end, int token) {
            starts[pieces] = start;
            ends[pieces] = end;
            tokens[pieces] = token;
            return pieces++;
        }

        private int token(int start, int end) {
            if (end - start > longestToken) {
                return -1;
            }
            @Nullable Integer id = vocabulary.plain().get(text.substring(start, end));
            return id == null ? -1 : id;
        }

        @Override
        public int rank(int left, int right) {
            int token = token(starts[left], ends[right]);
            return token < 0 ? NONE : ranks[token];
        }

        @Override
        public int merged(int left, int right) {
            return addPiece(starts[left], ends[right], token(starts[left], ends[right]));
        }
    }

    @Override
    public byte[] tokenBytes(int id) {
        String text = vocabulary.text(id);
        return switch (vocabulary.type(id)) {
            case NORMAL -> text.replace(SPACE_MARK, ' ').getBytes(StandardCharsets.UTF_8);
            case USER_DEFINED -> text.replace(SPACE_MARK, ' ').getBytes(StandardCharsets.UTF_8);
            case BYTE -> new byte[] {(byte) Integer.parseInt(text.substring(3, 5), 16)};
            case UNKNOWN, CONTROL, UNUSED -> new byte[0];
        };
    }

    @Override
    public String tokenText(int id) {
        return vocabulary.text(id);
    }

    @Override
    public int vocabulary() {
        return vocabulary.size();
    }

    @Override
    public OptionalInt bos() {
        return vocabulary.bos();
    }

    @Override
    public Set<Integer> endOfGeneration() {
        return vocabulary.endOfGeneration();
    }

    @Override
    public boolean isSpecial(int id) {
        return vocabulary.isSpecial(id);
    }

    @Override
    public boolean addsBos() {
        return addBos && vocabulary.bos().isPresent();
    }

    @Override
    public boolean addsSpacePrefix() {
        return addSpacePrefix;
    }
}
