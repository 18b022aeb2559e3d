package dev.baton.runtime.trace;

import dev.baton.contract.journal.TransitionRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The transitions of one request as text. Times are of different machines' wall clocks, so an order across machines is as
 * good as their clocks agree; within one machine it is exact.
 */
public final class Timeline {
    private static final String REQUEST = "request";
    private static final String DESTINATION = "destination";
    private static final double MICROS_PER_MILLI = 1_000;
    private static final double NANOS_PER_MILLI = 1_000_000;

    private final List<TransitionRecord> records;

    public Timeline(List<TransitionRecord> records) {
        List<TransitionRecord> ordered = new ArrayList<>(records);
        ordered.sort(Comparator.comparingLong(TransitionRecord::atEpochMicros)
                .thenComparing(TransitionRecord::machine)
                .thenComparing(TransitionRecord::where)
                .thenComparingLong(TransitionRecord::sequence));
        this.records = List.copyOf(ordered);
    }

    /** One line for each transition: milliseconds since the first, machine, place, states, event, amounts. */
    public List<String> lines() {
        if (records.isEmpty()) {
            return List.of("  no transition is recorded");
        }
        int machine = width(TransitionRecord::machine);
        int where = width(TransitionRecord::where);
        int change = width(Timeline::change);
        long start = records.getFirst().atEpochMicros();
        String format = "%12s ms  %-" + machine + "s  %-" + where + "s  %-" + change + "s  %s";
        List<String> lines = new ArrayList<>();
        for (TransitionRecord record : records) {
            String at = millis(record.atEpochMicros() - start);
            lines.add(String.format(
                            Locale.ROOT, format, at, record.machine(), record.where(), change(record), record.detail())
                    .stripTrailing());
        }
        return lines;
    }

    /**
     * Where the time went: the request machine's time in each group of states, the destination's transfer, and the stall
     * that the handoff exposed (§0x0F).
     */
    public List<String> summary() {
        Map<String, Long> micros = phases();
        List<String> lines = new ArrayList<>();
        micros.forEach((phase, time) -> lines.add(String.format(Locale.ROOT, "%-14s %12s ms", phase, millis(time))));
        transferMicros()
                .ifPresent(time -> lines.add(String.format(Locale.ROOT, "%-14s %12s ms", "transfer", millis(time))));
        exposedStallNanos()
                .ifPresent(nanos -> lines.add(
                        String.format(Locale.ROOT, "%-14s %12.3f ms", "exposed stall", nanos / NANOS_PER_MILLI)));
        return lines;
    }

    /** Time in groups of the request's states, in microseconds; always all groups, so that lines stay where they are. */
    private Map<String, Long> phases() {
        Map<String, Long> micros = new LinkedHashMap<>();
        for (String phase : List.of("queue", "prefill", "waiting for kv", "decode")) {
            micros.put(phase, 0L);
        }
        List<TransitionRecord> own = of(REQUEST);
        for (int i = 0; i + 1 < own.size(); i++) {
            long time = own.get(i + 1).atEpochMicros() - own.get(i).atEpochMicros();
            String phase = phase(own.get(i).to());
            if (!phase.isEmpty()) {
                micros.merge(phase, Math.max(0, time), Long::sum);
            }
        }
        return micros;
    }

    private static String phase(String state) {
        return switch (state) {
            case "Routing", "Resting", "Reserving" -> "queue";
            case "Prefilling" -> "prefill";
            case "PrefillComputeComplete" -> "waiting for kv";
            case "KvReady", "Decoding" -> "decode";
            default -> "";
        };
    }

    /** From the destination's first chunk to its publication. */
    private OptionalLong transferMicros() {
        OptionalLong begin = OptionalLong.empty();
        for (TransitionRecord record : records) {
            if (!record.machine().contains(DESTINATION)) {
                continue;
            }
            if (begin.isEmpty() && record.to().equals("Transferring")) {
                begin = OptionalLong.of(record.atEpochMicros());
            }
            if (begin.isPresent() && record.to().equals("Published")) {
                return OptionalLong.of(record.atEpochMicros() - begin.getAsLong());
            }
        }
        return OptionalLong.empty();
    }

    /** The last one told; continuations have one of their own. */
    private OptionalLong exposedStallNanos() {
        OptionalLong found = OptionalLong.empty();
        for (TransitionRecord record : records) {
            for (String pair : record.detail().split(" ", -1)) {
                if (pair.startsWith("exposedStallNanos=")) {
                    String digits = pair.substring(pair.indexOf('=') + 1);
                    if (!digits.isEmpty() && digits.chars().allMatch(Character::isDigit)) {
                        found = OptionalLong.of(Long.parseLong(digits));
                    }
                }
            }
        }
        return found;
    }

    private List<TransitionRecord> of(String machine) {
        return records.stream()
                .filter(record -> record.machine().equals(machine))
                .toList();
    }

    private static String change(TransitionRecord record) {
        String states = record.from().equals(record.to()) ? record.to() : record.from() + " -> " + record.to();
        return states + " (" + record.event() + ")";
    }

    private int width(java.util.function.Function<TransitionRecord, String> column) {
        return records.stream()
                .mapToInt(record -> column.apply(record).length())
                .max()
                .orElse(1);
    }

    private static String millis(long micros) {
        return String.format(Locale.ROOT, "%.3f", micros / MICROS_PER_MILLI);
    }
}
