package dev.baton.kernels.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Turns the tokens of one answer into text as they come. Bytes of an incomplete code point wait for the rest, so every piece
 * is whole characters and the pieces together are what {@link Tokenizer#decode} gives for all tokens. Not thread-safe.
 */
public final class IncrementalDecoder {

    private final Tokenizer tokenizer;
    private final CharsetDecoder utf8 = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] held = new byte[0];
    private boolean atStart;

    private IncrementalDecoder(Tokenizer tokenizer, boolean atStart) {
        this.tokenizer = tokenizer;
        this.atStart = atStart;
    }

    /** For a sequence from its beginning: drops the space that encoding put before the text. */
    public static IncrementalDecoder atStart(Tokenizer tokenizer) {
        return new IncrementalDecoder(tokenizer, tokenizer.addsSpacePrefix());
    }

    /** For tokens that follow others, as an answer follows its prompt: a leading space is part of the text. */
    public static IncrementalDecoder continuing(Tokenizer tokenizer) {
        return new IncrementalDecoder(tokenizer, false);
    }

    /** The text that is complete with this token; often empty. */
    public String accept(int id) {
        byte[] bytes = tokenizer.tokenBytes(id);
        if (bytes.length == 0) {
            return "";
        }
        int skipped = atStart && bytes[0] == ' ' ? 1 : 0;
        atStart = false;
        ByteBuffer input = ByteBuffer.allocate(held.length + bytes.length - skipped);
        input.put(held).put(bytes, skipped, bytes.length - skipped).flip();
        return decode(input, false);
    }

    /** What was held back, at the end: U+FFFD for an incomplete code point. The decoder is not to be used afterwards. */
    public String finish() {
        return decode(ByteBuffer.wrap(held), true);
    }

    /** How many bytes wait for the rest of their code point: 0 to 3. */
    public int heldBytes() {
        return held.length;
    }

    private String decode(ByteBuffer input, boolean end) {
        CharBuffer output = CharBuffer.allocate(input.remaining() + 1);
        utf8.reset();
        utf8.decode(input, output, end);
        if (end) {
            utf8.flush(output);
        }
        held = new byte[input.remaining()];
        input.get(held);
        return output.flip().toString();
    }
}
