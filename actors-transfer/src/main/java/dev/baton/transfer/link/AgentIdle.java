package dev.baton.transfer.link;

import java.util.concurrent.locks.LockSupport;

/**
 * How the agent waits when a turn found nothing: spin, yield, then sleep twice as long each time up to the limit. A busy link stays in the
 * first two, an idle node wakes up a few hundred times a second.
 */
final class AgentIdle {
    private static final int SPINS = 20;
    private static final int YIELDS = 60;
    private static final long FIRST_PARK_NS = 10_000;
    /** Parks at the limit after which a node that expects nothing sleeps longer still. */
    private static final int DEEP_AFTER_PARKS = 500;

    private static final int DEEP_FACTOR = 10;
    /** While chunks wait for a peer, a longer sleep would cost throughput: a term window drains in some hundred microseconds. */
    private static final long BUSY_PARK_NS = 50_000;
    /** How long after the last work a link still counts as busy: the next chunk of a stream is rarely later. */
    private static final long BUSY_AFTER_WORK_NS = 5_000_000;

    private final long maxParkNs;
    private int turns;
    private int parks;
    private long parkNs = FIRST_PARK_NS;
    private long lastWorkNs = System.nanoTime();

    AgentIdle(long maxParkNs) {
        this.maxParkNs = maxParkNs;
    }

    void worked() {
        turns = 0;
        parks = 0;
        parkNs = FIRST_PARK_NS;
        lastWorkNs = System.nanoTime();
    }

    /**
     * How long the agent should sleep now; 0 when it should look again at once.
     *
     * @param isWaiting whether chunks wait for a peer
     * @param isExpecting whether a transfer is expected: then the first chunk must not find a deep sleeper
     */
    long nextParkNs(boolean isWaiting, boolean isExpecting) {
        turns++;
        if (turns <= SPINS) {
            Thread.onSpinWait();
            return 0;
        }
        if (turns <= SPINS + YIELDS) {
            giveWay();
            return 0;
        }
        if (isWaiting || System.nanoTime() - lastWorkNs < BUSY_AFTER_WORK_NS) {
            return Math.min(BUSY_PARK_NS, maxParkNs);
        }
        long now = parkNs;
        parkNs = Math.min(parkNs * 2, maxParkNs);
        if (now >= maxParkNs && ++parks > DEEP_AFTER_PARKS && !isExpecting) {
            return maxParkNs * DEEP_FACTOR;
        }
        return Math.min(now, maxParkNs);
    }

    /** A peer on the same two cores may need this one to make progress. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void giveWay() {
        Thread.yield();
    }

    void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }
}
