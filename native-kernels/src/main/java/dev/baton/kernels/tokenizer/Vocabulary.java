package dev.baton.kernels.tokenizer;

import dev.baton.kernels.model.gguf.TokenType;
import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** What both kinds of tokenizer know of their tokens. */
final class Vocabulary {

    /** Names by which model families end a turn, where the metadata names one id only. */
    private static final Set<String> END_NAMES = Set.of(
            "</s>",
            "<|end|>",
            "<|im_end|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|end_of_text|>",
            "<|endoftext|>",
            "<|end_of_turn|>",
            "<end_of_turn>",
            "<|EOT|>");

    private final List<String> tokens;
    private final TokenType[] types;
    private final Map<String, Integer> plain;
    private final SpecialTokens controlAndUserDefined;
    private final SpecialTokens userDefined;
    private final OptionalInt bos;
    private final OptionalInt unknown;
    private final SortedSet<Integer> endOfGeneration;

    Vocabulary(TokenizerMetadata metadata) {
        this.tokens = metadata.tokens();
        this.bos = metadata.bos();
        this.unknown = metadata.unknown();
        this.types = types(metadata);
        this.plain = HashMap.newHashMap(tokens.size());
        this.controlAndUserDefined = new SpecialTokens();
        this.userDefined = new SpecialTokens();
        SortedSet<Integer> ends = new TreeSet<>(metadata.eos());
        for (int id = 0; id < types.length; id++) {
            String text = tokens.get(id);
            switch (types[id]) {
                case NORMAL -> plain.putIfAbsent(text, id);
                case USER_DEFINED -> {
                    plain.putIfAbsent(text, id);
                    userDefined.add(text, id);
                    controlAndUserDefined.add(text, id);
                }
                case CONTROL, UNKNOWN -> controlAndUserDefined.add(text, id);
                case UNUSED, BYTE -> {}
            }
            if (END_NAMES.contains(text) && types[id] != TokenType.NORMAL) {
                ends.add(id);
            }
        }
        this.endOfGeneration = Collections.unmodifiableSortedSet(ends);
    }

    private static TokenType[] types(TokenizerMetadata metadata) {
        TokenType[] types = new TokenType[metadata.tokens().size()];
        int[] codes = metadata.types();
        for (int id = 0; id < types.length; id++) {
            types[id] = codes.length == 0 ? TokenType.NORMAL : TokenType.of(codes[id]);
        }
        // Some converters leave these as NORMAL; as such they would be found in text of users, and printed.
        for (int id : metadata.eos()) {
            types[id] = TokenType.CONTROL;
        }
        metadata.bos().ifPresent(id -> types[id] = TokenType.CONTROL);
        return types;
    }

    int size() {
        return types.length;
    }

    String text(int id) {
        return tokens.get(id);
    }

    TokenType type(int id) {
        return types[id];
    }

    boolean isSpecial(int id) {
        return types[id] == TokenType.CONTROL || types[id] == TokenType.UNKNOWN;
    }

    /** Tokens that ordinary text can become, by their text. */
    Map<String, Integer> plain() {
        return plain;
    }

    /** The tokens to be found whole: user-defined ones always, control tokens only where the text may hold them. */
    SpecialTokens special(boolean parseSpecial) {
        return parseSpecial ? controlAndUserDefined : userDefined;
    }

    OptionalInt bos() {
        return bos;
    }

    OptionalInt unknown() {
        return unknown;
    }

    SortedSet<Integer> endOfGeneration() {
        return endOfGeneration;
    }
}
