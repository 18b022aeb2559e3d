package dev.baton.scheduler.mls;

import java.util.List;

/**
 * What one iteration runs.
 *
 * @param slices prompt positions to compute, in order of arrival
 * @param decodes sequences that get one row each, in the order of their turn
 */
public record IterationPlan(List<Slice> slices, List<Long> decodes) {
    public static final IterationPlan EMPTY = new IterationPlan(List.of(), List.of());

    public IterationPlan {
        slices = List.copyOf(slices);
        decodes = List.copyOf(decodes);
    }

    /** Positions {@code [from, from + count)} of one prompt. */
    public record Slice(long id, int from, int count) {}

    public boolean isEmpty() {
        return slices.isEmpty() && decodes.isEmpty();
    }

    public int rows() {
        return decodes.size() + slices.stream().mapToInt(Slice::count).sum();
    }
}
