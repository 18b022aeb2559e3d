package dev.baton.contract.identity;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A SHA-256 value in lower-case hex. Identities that must not be readable in logs (prompts, tokenizers) appear only so. */
public record Digest(String hex) {
    private static final int HEX_CHARS = 64;

    public Digest {
        if (hex.length() != HEX_CHARS) {
            throw new IllegalArgumentException(
                    "Digest must be " + HEX_CHARS + " hex characters, found " + hex.length());
        }
        for (int i = 0; i < HEX_CHARS; i++) {
            char c = hex.charAt(i);
            if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
                throw new IllegalArgumentException("Digest must be lower-case hex; character " + i + " is not");
            }
        }
    }

    public static Digest sha256(byte[] content) {
        try {
            return of(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public static Digest of(byte[] sha256) {
        return new Digest(HexFormat.of().formatHex(sha256));
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    /** The first twelve characters: enough for a log line. */
    public String brief() {
        return hex.substring(0, 12);
    }

    @Override
    public String toString() {
        return hex;
    }
}
