package dev.baton.runtime.node;

import java.time.Instant;

/** Nanoseconds since the epoch that never run backwards in this process, whatever happens to the wall clock. */
final class EpochClock {
    private final long base;

    EpochClock() {
        Instant now = Instant.now();
        base = now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
    }

    long nanos() {
        return base + System.nanoTime();
    }
}
