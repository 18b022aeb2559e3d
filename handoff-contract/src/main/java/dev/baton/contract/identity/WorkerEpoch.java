package dev.baton.contract.identity;

/** One incarnation of a worker process: a restarted worker is a new peer, and everything of the old epoch is fenced. */
public record WorkerEpoch(long value) implements Comparable<WorkerEpoch> {
    public WorkerEpoch {
        Identities.requireNotNegative("WorkerEpoch", value);
    }

    @Override
    public int compareTo(WorkerEpoch other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
