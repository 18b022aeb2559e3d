package dev.baton.transfer.source;

import java.util.Arrays;

/** For each layer, how far its K/V exists: prompt tokens before that position. Only grows; immutable. */
public final class ReadyTokens {
    private final int[] upTo;

    private ReadyTokens(int[] upTo) {
        this.upTo = upTo;
    }

    /** Nothing computed yet: every layer stands at the start of the interval. */
    public static ReadyTokens none(int layers, int intervalStart) {
        int[] upTo = new int[layers];
        Arrays.fill(upTo, intervalStart);
        return new ReadyTokens(upTo);
    }

    public int layers() {
        return upTo.length;
    }

    public int upTo(int layer) {
        return upTo[layer];
    }

    public boolean every(int tokensUpTo) {
        return Arrays.stream(upTo).allMatch(t -> t >= tokensUpTo);
    }

    public ReadyTokens with(int layer, int tokensUpTo) {
        int[] changed = upTo.clone();
        changed[layer] = tokensUpTo;
        return new ReadyTokens(changed);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReadyTokens ready && Arrays.equals(upTo, ready.upTo);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(upTo);
    }

    @Override
    public String toString() {
        return "ReadyTokens" + Arrays.toString(upTo);
    }
}
