package dev.baton.contract.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How much of the transfer prefill compute covered (§0x06C, §0x08I). Moments in which several chunks are under way count once.
 *
 * @param transferNanos time in which at least one chunk was under way
 * @param hiddenNanos the part of it while prefill still computed
 * @param exposedNanos the rest
 */
public record OverlapLedger(long transferNanos, long hiddenNanos, long exposedNanos) {

    /**
     * @param transfers one span per chunk, in any order, overlapping or not
     * @param compute the prefill computation that produced them
     */
    public static OverlapLedger of(List<Span> transfers, Span compute) {
        long transferNanos = 0;
        long hiddenNanos = 0;
        for (Span busy : union(transfers)) {
            transferNanos += busy.nanos();
            hiddenNanos += busy.overlapNanos(compute);
        }
        return new OverlapLedger(transferNanos, hiddenNanos, transferNanos - hiddenNanos);
    }

    /** Hidden part of the transfer, 0 to 1; 0 where nothing was moved. */
    public double hiddenFraction() {
        return transferNanos == 0 ? 0 : (double) hiddenNanos / transferNanos;
    }

    private static List<Span> union(List<Span> spans) {
        List<Span> ascending = spans.stream()
                .sorted(Comparator.comparingLong(Span::startNanos))
                .toList();
        List<Span> merged = new ArrayList<>();
        for (Span span : ascending) {
            if (!merged.isEmpty() && span.startNanos() <= merged.getLast().endNanos()) {
                Span last = merged.removeLast();
                merged.add(new Span(last.startNanos(), Math.max(last.endNanos(), span.endNanos())));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }
}
