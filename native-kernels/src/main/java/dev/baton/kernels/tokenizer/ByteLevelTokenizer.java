package dev.baton.kernels.tokenizer;

import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Byte-level BPE as GGUF files of tokenizer model {@code gpt2} describe it: words become bytes, bytes merge by rank. */
final class ByteLevelTokenizer implements Tokenizer {

    private static final String RECONVERT = "Convert the model again with a current convert_hf_to_gguf.py.";

    private final Vocabulary vocabulary;
    private final PreTokenizer preTokenizer;
    private final boolean addBos;
    private final int[] byteTokens;
    private final MergeTable merges;

    ByteLevelTokenizer(TokenizerMetadata metadata) {
        this.vocabulary = new Vocabulary(metadata);
        this.preTokenizer = PreTokenizer.of(metadata);
        this.addBos = metadata.addBos().orElse(preTokenizer == PreTokenizer.LLAMA_3);
        this.byteTokens = byteTokens(metadata);
        this.merges = merges(metadata);
    }

    private int[] byteTokens(TokenizerMetadata metadata) {
        int[] ids = new int[256];
        for (int value = 0; value < ids.length; value++) {
            @Nullable Integer id = vocabulary.plain().get(String.valueOf(ByteAlphabet.character((byte) value)));
            if (id == null) {
                throw metadata.refuse(
                        "tokenizer.ggml.tokens",
                        "no token for the byte 0x%02X".formatted(value),
                        "all 256 single bytes",
                        RECONVERT);
            }
            ids[value] = id;
        }
        return ids;
    }

    private MergeTable merges(TokenizerMetadata metadata) {
        List<String> lines = metadata.merges();
        if (lines.isEmpty()) {
            throw metadata.refuse("tokenizer.ggml.merges", "nothing", "the merges", RECONVERT);
        }
        Map<String, Integer> plain = vocabulary.plain();
        MergeTable table = new MergeTable(lines.size());
        for (int rank = 0; rank < lines.size(); rank++) {
            String line = lines.get(rank);
            int space = line.indexOf(' ', 1);
            @Nullable Integer left = space < 0 ? null : plain.get(line.substring(0, space));
            @Nullable Integer right = space < 0 ? null : plain.get(line.substring(space + 1));
            @Nullable
            Integer merged = space < 0 ? null : plain.get(line.substring(0, space) + line.substring(space + 1));
            if (left == null || right == null || merged == null) {
                throw metadata.refuse(
                        "tokenizer.ggml.merges[" + rank + "]",
                        "\"" + line + "\"",
                        "two tokens that together are a token, separated by a space",
                        RECONVERT);
            }
            table.putIfAbsent(left, right, rank, merged);
        }
        return table;
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
        preTokenizer.split(text, (from, to) -> encodeWord(text.substring(from, to), ids));
    }

    private void encodeWord(String word, IdBuffer ids) {
        byte[] utf8 = word.getBytes(StandardCharsets.UTF_8);
        if (preTokenizer.wholeWordsFirst()) {
            @Nullable Integer whole = vocabulary.plain().get(ByteAlphabet.text(utf8));
            if (whole != null) {
                ids.add(whole);
                return;
            }
        }
        int[] symbols = new int[utf8.length];
        for (int i = 0; i < utf8.length; i++) {
            symbols[i] = byteTokens[utf8[i] & 0xff];
        }
        int kept = PairMerger.merge(merges, symbols);
        for (int i = 0; i < kept; i++) {
            ids.add(symbols[i]);
        }
    }

    @Override
    public byte[] tokenBytes(int id) {
        String text = vocabulary.text(id);
        return switch (vocabulary.type(id)) {
            case NORMAL, BYTE -> ByteAlphabet.bytes(text);
            case USER_DEFINED -> text.getBytes(StandardCharsets.UTF_8);
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
        return false;
    }
}
