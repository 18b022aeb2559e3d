package dev.baton.scheduler.mls;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;

/**
 * The machine-level scheduler (§0x08F, §0x08H). Decodes come first: each gets one row per iteration, in turns where there are
 * more than rows, so a prompt never stretches their cadence by more than its budget. Prompts fill the remaining rows first
 * come, first served, never reordered to fill a gap; while any waits, decodes leave it at least one row. Not thread-safe:
 * belongs to the iteration loop. Equal calls give equal plans.
 *
 * <p>A plan is run, then {@link #completed} with the same plan, before the next {@link #plan}. Work removed in between is
 * skipped by {@code completed}.
 */
public final class MlsMachine {

    public enum Refusal {
        /** As many prompts or sequences as the limits allow are here already. */
        QUEUE_FULL,
        /** The id is already in this queue. */
        DUPLICATE,
        EMPTY_PROMPT
    }

    private static final class Prompt {
        final int tokens;
        int computed;

        Prompt(int tokens) {
            this.tokens = tokens;
        }

        int left() {
            return tokens - computed;
        }
    }

    private final MlsLimits limits;
    private final Map<Long, Prompt> prompts = new LinkedHashMap<>();
    private final SequencedSet<Long> decodes = new LinkedHashSet<>();
    private long pendingPrefillTokens;

    public MlsMachine(MlsLimits limits) {
        this.limits = limits;
    }

    /** @return why not; empty when queued */
    public Optional<Refusal> queuePrefill(long id, int tokens) {
        if (tokens < 1) {
            return Optional.of(Refusal.EMPTY_PROMPT);
        }
        if (prompts.containsKey(id)) {
            return Optional.of(Refusal.DUPLICATE);
        }
        if (prompts.size() >= limits.maxQueuedPrefills()) {
            return Optional.of(Refusal.QUEUE_FULL);
        }
        prompts.put(id, new Prompt(tokens));
        pendingPrefillTokens += tokens;
        return Optional.empty();
    }

    /** @return why not; empty when admitted */
    public Optional<Refusal> admitDecode(long id) {
        if (decodes.contains(id)) {
            return Optional.of(Refusal.DUPLICATE);
        }
        if (decodes.size() >= limits.maxDecodes()) {
            return Optional.of(Refusal.QUEUE_FULL);
        }
        decodes.addLast(id);
        return Optional.empty();
    }

    /** Forgets the work, waiting or running; unknown ids are no error. */
    public void remove(long id) {
        Prompt prompt = prompts.remove(id);
        if (prompt != null) {
            pendingPrefillTokens -= prompt.left();
        }
        decodes.remove(id);
    }

    public IterationPlan plan() {
        int decodeRows = prompts.isEmpty() ? limits.maxRows() : Math.max(1, limits.maxRows() - 1);
        List<Long> rows = decodes.stream().limit(decodeRows).toList();
        int budget = Math.min(limits.prefillBudgetTokens(), limits.maxRows() - rows.size());
        boolean untouched = true;
        List<IterationPlan.Slice> slices = new ArrayList<>();
        for (Map.Entry<Long, Prompt> entry : prompts.entrySet()) {
            Prompt prompt = entry.getValue();
            boolean splits = prompt.left() > budget;
            // The first prompt always advances, or one that is longer than the budget would wait for ever.
            if (budget == 0 || (splits && limits.wholePrompt() && !untouched)) {
                break;
            }
            int count = Math.min(budget, prompt.left());
            slices.add(new IterationPlan.Slice(entry.getKey(), prompt.computed, count));
            budget -= count;
            untouched = false;
        }
        return new IterationPlan(slices, rows);
    }

    /** The iteration ran. Prompts that are complete leave; sequences that had a row go to the end of the turn. */
    public void completed(IterationPlan plan) {
        for (IterationPlan.Slice slice : plan.slices()) {
            Prompt prompt = prompts.get(slice.id());
            if (prompt == null || prompt.computed != slice.from()) {
                continue;
            }
            prompt.computed += slice.count();
            pendingPrefillTokens -= slice.count();
            if (prompt.left() == 0) {
                prompts.remove(slice.id());
            }
        }
        if (plan.decodes().size() < decodes.size()) {
            for (long id : plan.decodes()) {
                if (decodes.remove(id)) {
                    decodes.addLast(id);
                }
            }
        }
    }

    /** Prompt tokens queued or in computation, for reports. */
    public long pendingPrefillTokens() {
        return pendingPrefillTokens;
    }

    public int queuedPrefills() {
        return prompts.size();
    }

    public int runningDecodes() {
        return decodes.size();
    }
}
