package dev.baton.scheduler.mls.actor;

import java.util.List;

/** Decides what the next iteration runs. The loop tells it what arrives, what leaves, and runs exactly what it plans. */
public interface IterationPlanner {
    void prefillArrived(long work, int tokens);

    void decodeArrived(long work);

    /** The work ended or was removed, whatever was left of it. */
    void left(long work);

    /** What to run now; the planner counts it as run. Empty when there is nothing. */
    Plan next();

    /** @param slices prompts to advance, in order @param decodes sequences to advance by one token */
    record Plan(List<Slice> slices, List<Long> decodes) {
        public Plan {
            slices = List.copyOf(slices);
            decodes = List.copyOf(decodes);
        }

        boolean isEmpty() {
            return slices.isEmpty() && decodes.isEmpty();
        }
    }

    /** Prompt positions {@code [from, from + count)} of one prefill. */
    record Slice(long work, int from, int count) {
        int end() {
            return from + count;
        }
    }
}
