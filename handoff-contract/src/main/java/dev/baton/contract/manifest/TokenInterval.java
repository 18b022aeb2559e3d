package dev.baton.contract.manifest;

/** Prompt tokens {@code [start, start + count)}. Transfers name intervals, never bare counts: a count has no head or tail. */
public record TokenInterval(int start, int count) {
    public TokenInterval {
        if (start < 0 || count <= 0 || start > Integer.MAX_VALUE - count) {
            throw new IllegalArgumentException("token interval start=" + start + " count=" + count);
        }
    }

    public int end() {
        return start + count;
    }

    public boolean covers(TokenInterval other) {
        return start <= other.start && end() >= other.end();
    }
}
