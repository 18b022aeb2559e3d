package dev.baton.kernels.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The printable stand-ins by which byte-level vocabularies write bytes: printable Latin-1 stands for itself, the other 68
 * bytes for the characters from U+0100 on, in order.
 */
final class ByteAlphabet {

    private static final char[] CHARACTERS = new char[256];
    private static final short[] BYTES = new short[0x100 + 68];

    static {
        Arrays.fill(BYTES, (short) -1);
        char substitute = 0x100;
        for (int value = 0; value < 256; value++) {
            boolean printable = (value >= '!' && value <= '~') || (value >= 0xA1 && value <= 0xAC) || value >= 0xAE;
            CHARACTERS[value] = printable ? (char) value : substitute++;
            BYTES[CHARACTERS[value]] = (short) value;
        }
    }

    private ByteAlphabet() {}

    static char character(byte value) {
        return CHARACTERS[value & 0xff];
    }

    static String text(byte[] bytes) {
        char[] text = new char[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            text[i] = character(bytes[i]);
        }
        return new String(text);
    }

    /** The bytes a token stands for; a token with a character outside the alphabet stands for its own UTF-8. */
    static byte[] bytes(String token) {
        byte[] bytes = new byte[token.length()];
        for (int i = 0; i < bytes.length; i++) {
            char c = token.charAt(i);
            if (c >= BYTES.length || BYTES[c] < 0) {
                return token.getBytes(StandardCharsets.UTF_8);
            }
            bytes[i] = (byte) BYTES[c];
        }
        return bytes;
    }
}
