package dev.baton.contract.ledger;

import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.TensorAbi;

/**
 * Bytes of K/V state under one tensor ABI (§0x06). Rows are prompt tokens; each counts once however it travels. Logical bytes
 * are {@code S * L * 2 * H_kv * d_h * b}; payload bytes are the whole blocks that hold them; padding is the difference.
 */
public record KvLedger(TensorAbi abi) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** {@code L * 2 * H_kv * d_h * b}: also what each decoded token adds. */
    public long tokenBytes() {
        return abi.tokenBytes();
    }

    /** {@code M_KV_transfer}: K/V bytes of {@code rows} token rows in all layers, without padding. */
    public long logicalKvBytes(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException("rows must not be negative, found " + rows);
        }
        return Math.multiplyExact(rows, tokenBytes());
    }

    /** Bytes of all blocks, in all layers, that hold a row of {@code tokens}. */
    public long payloadBytes(TokenInterval tokens) {
        long firstBlock = tokens.start() / abi.blockTokens();
        long endBlock = Math.ceilDiv(tokens.end(), abi.blockTokens());
        return Math.multiplyExact((endBlock - firstBlock) * abi.layers(), abi.layerBlockBytes());
    }

    /** What whole blocks cost beyond the rows themselves. */
    public long paddingBytes(TokenInterval tokens) {
        return payloadBytes(tokens) - logicalKvBytes(tokens.count());
    }

    /**
     * {@code t_payload = M / bandwidth}, in nanoseconds: payload only. Setup, validation, queueing and publication come on top,
     * so zero bytes do not mean a free handoff.
     */
    public static double payloadServiceNanos(long bytes, double bytesPerSecond) {
        if (!(bytesPerSecond > 0)) {
            throw new IllegalArgumentException("bytesPerSecond must be positive, found " + bytesPerSecond);
        }
        return bytes / bytesPerSecond * NANOS_PER_SECOND;
    }
}
