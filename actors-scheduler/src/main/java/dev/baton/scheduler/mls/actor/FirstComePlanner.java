package dev.baton.scheduler.mls.actor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * First come, first served (§0x08H): every decode gets a row, up to the batch, in turns when there are more; prompts fill what
 * is left of the batch up to the prefill budget, in order of arrival. A batch always keeps room for some of both.
 */
public final class FirstComePlanner implements IterationPlanner {
    private final int maxRows;
    private final int prefillBudgetTokens;
    private final Map<Long, int[]> prefills = new LinkedHashMap<>();
    private final Map<Long, Boolean> decodes = new LinkedHashMap<>();

    public FirstComePlanner(int maxRows, int prefillBudgetTokens) {
        this.maxRows = maxRows;
        this.prefillBudgetTokens = prefillBudgetTokens;
    }

    @Override
    public void prefillArrived(long work, int tokens) {
        prefills.put(work, new int[] {0, tokens});
    }

    @Override
    public void decodeArrived(long work) {
        decodes.put(work, true);
    }

    @Override
    public void left(long work) {
        prefills.remove(work);
        decodes.remove(work);
    }

    @Override
    public Plan next() {
        int decodeRows = prefills.isEmpty() ? maxRows : Math.max(1, maxRows - 1);
        List<Long> rows = new ArrayList<>();
        Iterator<Long> turn = decodes.keySet().iterator();
        while (turn.hasNext() && rows.size() < decodeRows) {
            rows.add(turn.next());
        }
        if (rows.size() < decodes.size()) {
            rows.forEach(decodes::remove);
            rows.forEach(id -> decodes.put(id, true));
        }
        int budget = Math.min(prefillBudgetTokens, maxRows - rows.size());
        List<Slice> slices = new ArrayList<>();
        for (Map.Entry<Long, int[]> entry : prefills.entrySet()) {
            int[] progress = entry.getValue();
            int count = Math.min(budget, progress[1] - progress[0]);
            if (count > 0) {
                slices.add(new Slice(entry.getKey(), progress[0], count));
                progress[0] += count;
                budget -= count;
            }
            if (budget == 0) {
                break;
            }
        }
        return new Plan(slices, rows);
    }
}
