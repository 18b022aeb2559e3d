package dev.baton.contract.identity;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Names one transfer attempt and makes its repeats idempotent. Derived from what it names, so a recovered request entity
 * mints the same id for the same attempt and no two attempts share one.
 */
public record TransferId(long high, long low) implements Comparable<TransferId> {

    public static TransferId of(TenantId tenant, RequestId request, Generation generation, Attempt attempt) {
        String name = "baton-transfer\0" + tenant + '\0' + request + '\0' + generation + '\0' + attempt;
        ByteBuffer digest = ByteBuffer.wrap(
                Digest.sha256(name.getBytes(StandardCharsets.UTF_8)).bytes());
        return new TransferId(digest.getLong(), digest.getLong());
    }

    @Override
    public int compareTo(TransferId other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public String toString() {
        return "%016x%016x".formatted(high, low);
    }
}
