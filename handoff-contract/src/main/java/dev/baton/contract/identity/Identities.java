package dev.baton.contract.identity;

/** Checks shared by the identity records. */
final class Identities {
    private static final int MAX_NAME_CHARS = 128;

    private Identities() {}

    /** Names travel in logs, metrics labels and paths: printable ASCII without spaces, at most 128 characters. */
    static void requireName(String type, String value) {
        if (value.isEmpty() || value.length() > MAX_NAME_CHARS) {
            throw new IllegalArgumentException(
                    type + " must have 1 to " + MAX_NAME_CHARS + " characters, found " + value.length());
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                throw new IllegalArgumentException(
                        type + " must be printable ASCII without spaces; character " + i + " is not");
            }
        }
    }

    static void requireNotNegative(String type, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(type + " must not be negative, found " + value);
        }
    }
}
