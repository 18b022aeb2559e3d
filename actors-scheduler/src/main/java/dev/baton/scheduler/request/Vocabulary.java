package dev.baton.scheduler.request;

import dev.baton.kernels.tokenizer.Tokenizer;
import java.util.List;

/** What stop rules must know of a tokenizer. A pure function of the model, so replay gives the same text. */
public interface Vocabulary {
    /** Bytes that one token adds to the text; empty for control tokens. */
    byte[] bytes(int token);

    /** Ids after which a sequence is over, ascending. */
    List<Integer> endTokens();

    static Vocabulary of(Tokenizer tokenizer) {
        List<Integer> ends = tokenizer.endOfGeneration().stream().sorted().toList();
        return new Vocabulary() {
            @Override
            public byte[] bytes(int token) {
                return tokenizer.tokenBytes(token);
            }

            @Override
            public List<Integer> endTokens() {
                return ends;
            }
        };
    }
}
