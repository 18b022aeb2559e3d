package dev.baton.transfer.credit;

import dev.baton.contract.identity.TransferId;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The byte-credit window of one link with one account per transfer (§0x06B): {@code 0 <= inflight <= capacity}, always.
 * A credit is acquired once and returned once per (transfer, chunk index); the second return is refused, not subtracted.
 *
 * <p>Thread-safe: the stream acquires on its thread, actors release on theirs. No call waits.
 */
public final class CreditLedger {
    private final long capacityBytes;
    private final Map<TransferId, Account> accounts = new HashMap<>();
    private final Map<CreditRefusal, Long> refusals = new EnumMap<>(CreditRefusal.class);
    private long inflightBytes;
    private long highWaterBytes;
    private int inflightChunks;
    private long acquiredChunks;
    private long releasedChunks;

    public CreditLedger(long capacityBytes) {
        if (capacityBytes <= 0) {
            throw new IllegalArgumentException("credit capacity must be positive, found " + capacityBytes + " bytes");
        }
        this.capacityBytes = capacityBytes;
        for (CreditRefusal refusal : CreditRefusal.values()) {
            refusals.put(refusal, 0L);
        }
    }

    /**
     * Takes {@code bytes} for a chunk.
     *
     * @return empty when granted, else why not; {@link CreditRefusal#WINDOW_FULL} is not counted as a refusal
     * @throws IllegalArgumentException when the chunk can never fit the window: waiting for it would never end
     */
    public synchronized Optional<CreditRefusal> acquire(TransferId transfer, int chunkIndex, long bytes) {
        if (bytes <= 0 || bytes > capacityBytes) {
            throw new IllegalArgumentException("chunk " + chunkIndex + " of transfer " + transfer + " has " + bytes
                    + " bytes; the window is " + capacityBytes + ": enlarge the window or shrink the chunk limit");
        }
        Account account = accounts.get(transfer);
        if (account != null && account.held.containsKey(chunkIndex)) {
            return refuse(CreditRefusal.ALREADY_ACQUIRED);
        }
        if (account != null && account.returned.get(chunkIndex)) {
            return refuse(CreditRefusal.ALREADY_RELEASED);
        }
        if (bytes > capacityBytes - inflightBytes) {
            return Optional.of(CreditRefusal.WINDOW_FULL);
        }
        if (account == null) {
            account = new Account();
            accounts.put(transfer, account);
        }
        account.held.put(chunkIndex, bytes);
        inflightBytes += bytes;
        inflightChunks++;
        acquiredChunks++;
        highWaterBytes = Math.max(highWaterBytes, inflightBytes);
        requireInvariant();
        return Optional.empty();
    }

    /** Returns the credit of one chunk, at its DEVICE_VISIBLE. Empty when returned, else why not. */
    public synchronized Optional<CreditRefusal> release(TransferId transfer, int chunkIndex) {
        Account account = accounts.get(transfer);
        if (account == null) {
            return refuse(CreditRefusal.NOT_ACQUIRED);
        }
        Long bytes = account.held.remove(chunkIndex);
        if (bytes == null) {
            return refuse(
                    account.returned.get(chunkIndex) ? CreditRefusal.ALREADY_RELEASED : CreditRefusal.NOT_ACQUIRED);
        }
        account.returned.set(chunkIndex);
        giveBack(bytes, 1);
        return Optional.empty();
    }

    /**
     * Ends a transfer's account: returns what it still holds and forgets it. Legal only after its transport is quiescent or its epoch
     * is fenced; idempotent.
     *
     * @return bytes returned
     */
    public synchronized long releaseAll(TransferId transfer) {
        Account account = accounts.remove(transfer);
        if (account == null) {
            return 0;
        }
        long bytes = account.bytes();
        giveBack(bytes, account.held.size());
        return bytes;
    }

    public synchronized long inflightBytes(TransferId transfer) {
        Account account = accounts.get(transfer);
        return account == null ? 0 : account.bytes();
    }

    public long capacityBytes() {
        return capacityBytes;
    }

    public synchronized CreditSnapshot snapshot() {
        return new CreditSnapshot(
                capacityBytes,
                inflightBytes,
                highWaterBytes,
                inflightChunks,
                accounts.size(),
                acquiredChunks,
                releasedChunks,
                refusals);
    }

    private void giveBack(long bytes, int chunks) {
        inflightBytes -= bytes;
        inflightChunks -= chunks;
        releasedChunks += chunks;
        requireInvariant();
    }

    private Optional<CreditRefusal> refuse(CreditRefusal reason) {
        refusals.merge(reason, 1L, Long::sum);
        return Optional.of(reason);
    }

    /** A broken window is a bug: bytes were invented or lost, and every later grant would be wrong. */
    private void requireInvariant() {
        if (inflightBytes < 0 || inflightBytes > capacityBytes || inflightChunks < 0) {
            throw new IllegalStateException("credit invariant broken: 0 <= " + inflightBytes + " <= " + capacityBytes
                    + " bytes in " + inflightChunks + " chunks");
        }
    }

    private static final class Account {
        final Map<Integer, Long> held = new HashMap<>();
        final BitSet returned = new BitSet();

        long bytes() {
            return held.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
