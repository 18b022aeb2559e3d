package dev.baton.contract.manifest;

import dev.baton.contract.identity.Digest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Digests of things that are not files. */
public final class Digests {
    /** Stands for "no adapter". */
    public static final Digest NONE = Digest.sha256(new byte[0]);
    /** Positions count from 0 without gaps; every row sees itself and all earlier rows. */
    public static final Digest CAUSAL_MASK = ofText("attention-mask-1|causal");

    private Digests() {}

    /** Over the ids as little-endian 32-bit integers. */
    public static Digest ofTokens(List<Integer> tokens) {
        ByteBuffer bytes = ByteBuffer.allocate(tokens.size() * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        tokens.forEach(bytes::putInt);
        return Digest.sha256(bytes.array());
    }

    public static Digest ofText(String text) {
        return Digest.sha256(text.getBytes(StandardCharsets.UTF_8));
    }
}
