package dev.baton.kernels.tokenizer;

import dev.baton.kernels.model.gguf.GgufMetadata;
import dev.baton.kernels.model.gguf.ModelFileException;
import dev.baton.kernels.model.gguf.TokenizerMetadata;
import java.util.OptionalInt;
import java.util.Set;

/** A vocabulary and its rules. Immutable and safe for use by many threads. */
public sealed interface Tokenizer permits SentencePieceTokenizer, ByteLevelTokenizer {

    /**
     * @param addBos whether to begin with {@link #bos()}, where the vocabulary has one
     * @param parseSpecial whether control tokens written out in the text become those tokens; never for text of users
     */
    int[] encode(String text, boolean addBos, boolean parseSpecial);

    /**
     * The text of a whole sequence. Control tokens are left out, bytes that are no UTF-8 become U+FFFD, and the space that
     * SentencePiece put before the text is taken away again.
     */
    default String decode(int[] ids) {
        IncrementalDecoder decoder = IncrementalDecoder.atStart(this);
        StringBuilder text = new StringBuilder();
        for (int id : ids) {
            text.append(decoder.accept(id));
        }
        return text.append(decoder.finish()).toString();
    }

    /**
     * The bytes one token adds to the text; empty for control tokens. A new array each time.
     *
     * @throws IndexOutOfBoundsException for an id outside the vocabulary
     */
    byte[] tokenBytes(int id);

    /** The token as the vocabulary writes it: {@code <|user|>}, {@code ▁the}, {@code <0x0A>}. */
    String tokenText(int id);

    /** Number of tokens; ids are below it. */
    int vocabulary();

    OptionalInt bos();

    /** Every id after which a turn or a sequence is over; sorted. */
    Set<Integer> endOfGeneration();

    default boolean isEndOfGeneration(int id) {
        return endOfGeneration().contains(id);
    }

    /** Whether the token is a control or unknown token, which adds nothing to the text. */
    boolean isSpecial(int id);

    /** Whether the model expects prompts to begin with {@link #bos()}. */
    boolean addsBos();

    /** Whether {@link #encode} puts a space before text, which {@link #decode} takes away. */
    boolean addsSpacePrefix();

    /** @throws ModelFileException where the file has no tokenizer or one of a kind that Baton cannot follow exactly */
    static Tokenizer from(GgufMetadata metadata) {
        return from(TokenizerMetadata.from(metadata));
    }

    /** @throws ModelFileException where the tokenizer is of a kind that Baton cannot follow exactly */
    static Tokenizer from(TokenizerMetadata metadata) {
        return switch (metadata.model()) {
            case "llama" -> new SentencePieceTokenizer(metadata);
            case "gpt2" -> new ByteLevelTokenizer(metadata);
            default ->
                throw metadata.refuse(
                        "tokenizer.ggml.model",
                        metadata.model(),
                        "llama (SentencePiece) or gpt2 (byte-level BPE)",
                        "Use a model with one of these tokenizers.");
        };
    }
}
