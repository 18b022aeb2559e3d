package dev.baton.scheduler.mls.actor;

import dev.baton.contract.journal.TransitionRecord;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Transitions of one leg's machines until they are told to the request. Events that come once per chunk or token are summed
 * up: the first is kept as it is, all others of its kind become one record, the last, with their number.
 */
public final class LegRecords {

    private record Bulk(TransitionRecord last, long count) {}

    private final String where;
    private final int limit;
    private final LongSupplier wallMicros;
    private final List<TransitionRecord> kept = new ArrayList<>();
    private final Map<String, Bulk> bulk = new HashMap<>();
    private final Map<String, Long> sequences = new HashMap<>();
    private long dropped;

    /**
     * @param where worker name
     * @param limit most records kept between two flushes
     */
    public LegRecords(String where, int limit, LongSupplier wallMicros) {
        this.where = where;
        this.limit = limit;
        this.wallMicros = wallMicros;
    }

    /** For a leg of this worker, on the wall clock. */
    public static LegRecords of(WorkerContext context) {
        Clock wall = Clock.systemUTC();
        return new LegRecords(context.worker().value(), context.config().recordsPerLeg(), () -> {
            Instant now = wall.instant();
            return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
        });
    }

    /** One adopted decision. */
    public void add(String machine, Object from, Object event, Object to, String detail) {
        keep(next(machine, from, event, to, detail));
    }

    /** One of many decisions alike: a chunk, a token. */
    public void addBulk(String machine, Object from, Object event, Object to, String detail) {
        TransitionRecord record = next(machine, from, event, to, detail);
        String kind = machine + '|' + record.event();
        Bulk known = bulk.get(kind);
        if (known == null) {
            keep(record);
            bulk.put(kind, new Bulk(record, 1));
        } else {
            bulk.put(kind, new Bulk(record, known.count() + 1));
        }
    }

    /** All records since the last flush, in order of adoption within each machine. */
    public List<TransitionRecord> flush() {
        bulk.values().stream()
                .filter(b -> b.count() > 1)
                .map(b -> withDetail(b.last(), "last_of=" + b.count()))
                .forEach(kept::add);
        bulk.clear();
        if (dropped > 0 && !kept.isEmpty()) {
            kept.set(kept.size() - 1, withDetail(kept.getLast(), "dropped=" + dropped));
            dropped = 0;
        }
        List<TransitionRecord> all = kept.stream()
                .sorted(Comparator.comparingLong(TransitionRecord::atEpochMicros)
                        .thenComparingLong(TransitionRecord::sequence))
                .toList();
        kept.clear();
        return all;
    }

    private void keep(TransitionRecord record) {
        if (kept.size() < limit) {
            kept.add(record);
        } else {
            dropped++;
        }
    }

    private TransitionRecord next(String machine, Object from, Object event, Object to, String detail) {
        long sequence = sequences.merge(machine, 1L, Long::sum) - 1;
        return new TransitionRecord(
                machine, where, wallMicros.getAsLong(), sequence, name(from), name(event), name(to), detail);
    }

    private static TransitionRecord withDetail(TransitionRecord r, String more) {
        return new TransitionRecord(
                r.machine(),
                r.where(),
                r.atEpochMicros(),
                r.sequence(),
                r.from(),
                r.event(),
                r.to(),
                r.detail().isEmpty() ? more : r.detail() + ' ' + more);
    }

    private static String name(Object stateOrEvent) {
        return stateOrEvent.getClass().getSimpleName();
    }
}
