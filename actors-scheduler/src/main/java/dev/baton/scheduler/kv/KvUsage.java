package dev.baton.scheduler.kv;

/**
 * A consistent view of the pool.
 *
 * @param totalBlocks blocks of the arena
 * @param freeBlocks blocks that nobody holds
 * @param reservations reservations that still hold a block
 */
public record KvUsage(int totalBlocks, int freeBlocks, int reservations) {
    public int heldBlocks() {
        return totalBlocks - freeBlocks;
    }

    /** Nothing is held: what every life-cycle test ends with. */
    public boolean idle() {
        return freeBlocks == totalBlocks && reservations == 0;
    }
}
