package dev.baton.scheduler.kv;

import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TransferId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Owner of the block ids {@code 0 .. totalBlocks-1} of one arena. Thread-safe. A broken invariant (a block given back twice,
 * shared while free, given back by another reservation) is a bug and throws {@link IllegalStateException}: memory that two
 * owners write is worse than a worker that stops.
 */
public final class KvBlockPool {
    private static final long FREE = -1;

    private final int[] freeStack;
    private final int[] holders;
    private final long[] reservationOf;
    private final Map<Long, Integer> blocksHeld = new HashMap<>();
    private int freeCount;
    private long nextReservation = 1;

    public KvBlockPool(int totalBlocks) {
        if (totalBlocks <= 0) {
            throw new IllegalArgumentException("totalBlocks must be positive, found " + totalBlocks);
        }
        freeStack = new int[totalBlocks];
        holders = new int[totalBlocks];
        reservationOf = new long[totalBlocks];
        Arrays.fill(reservationOf, FREE);
        for (int i = 0; i < totalBlocks; i++) {
            freeStack[i] = totalBlocks - 1 - i;
        }
        freeCount = totalBlocks;
    }

    public int totalBlocks() {
        return freeStack.length;
    }

    /**
     * All or nothing: {@code blockCount} blocks with one holder each, or empty when fewer are free. Nothing waits here: a wait
     * inside the pool would let two workers wait for each other.
     */
    public synchronized Optional<KvReservation> reserve(TransferId owner, int blockCount) {
        if (blockCount <= 0) {
            throw new IllegalArgumentException("blockCount must be positive, found " + blockCount);
        }
        if (blockCount > freeCount) {
            return Optional.empty();
        }
        long id = nextReservation++;
        Integer[] blocks = new Integer[blockCount];
        for (int i = 0; i < blockCount; i++) {
            int block = freeStack[--freeCount];
            requireBug(holders[block] == 0 && reservationOf[block] == FREE, "a held block was on the free list", block);
            holders[block] = 1;
            reservationOf[block] = id;
            blocks[i] = block;
        }
        blocksHeld.put(id, blockCount);
        return Optional.of(new KvReservation(new ReservationId(id), owner, List.of(blocks)));
    }

    /** One more holder of a block that the reservation already holds. */
    public synchronized void share(ReservationId reservation, int block) {
        requireHeldBy(reservation, block);
        holders[block]++;
    }

    /** One holder less for each of {@code blocks}; a block without holders is free. */
    public synchronized void release(ReservationId reservation, List<Integer> blocks) {
        for (int block : blocks) {
            requireHeldBy(reservation, block);
            holders[block]--;
            if (holders[block] == 0) {
                reservationOf[block] = FREE;
                freeStack[freeCount++] = block;
                blocksHeld.computeIfPresent(reservation.value(), (id, held) -> held == 1 ? null : held - 1);
            }
        }
    }

    public synchronized int holders(int block) {
        return holders[block];
    }

    public synchronized KvUsage usage() {
        return new KvUsage(freeStack.length, freeCount, blocksHeld.size());
    }

    private void requireHeldBy(ReservationId reservation, int block) {
        requireBug(block >= 0 && block < holders.length, "no such block", block);
        requireBug(
                holders[block] > 0 && reservationOf[block] == reservation.value(),
                "not held by reservation " + reservation,
                block);
    }

    private static void requireBug(boolean holds, String what, int block) {
        if (!holds) {
            throw new IllegalStateException("K/V block " + block + ": " + what);
        }
    }
}
