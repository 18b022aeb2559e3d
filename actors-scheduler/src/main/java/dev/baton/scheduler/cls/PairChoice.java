package dev.baton.scheduler.cls;

import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.cls.ClsState.Granted;
import dev.baton.scheduler.cls.ClsState.Seat;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Which pair serves an ask: the prefill worker with the fewest pending tokens, then the least loaded decode worker that reads
 * the same tensors and has blocks for the whole trajectory (§0x08E, §0x08F). Workers that just refused the request come last.
 * Ties go to the lower name, so equal tables give equal choices.
 */
final class PairChoice {

    /** Both halves; the same seat twice for colocated service. */
    record Pair(Seat prefill, Seat decode) {}

    /** What a table says about an ask. */
    enum Verdict {
        FITS_NOW,
        WAITS,
        NO_ROLE,
        NEVER_FITS
    }

    private final ClsProtocol.AskRoute ask;
    private final List<Seat> usable;

    PairChoice(ClsProtocol.AskRoute ask, Collection<Seat> seats, Predicate<Seat> alive) {
        this.ask = ask;
        this.usable = seats.stream().filter(alive).toList();
    }

    Verdict verdict() {
        if (best().isPresent()) {
            return Verdict.FITS_NOW;
        }
        List<Pair> byRole =
                Stream.concat(pairs(seat -> true), singles(seat -> true)).toList();
        if (byRole.isEmpty()) {
            return Verdict.NO_ROLE;
        }
        return byRole.stream().anyMatch(this::everFits) ? Verdict.WAITS : Verdict.NEVER_FITS;
    }

    Optional<Pair> best() {
        Predicate<Seat> room = seat -> seat.freeBlocks() >= blocks(seat.report());
        Comparator<Pair> order = Comparator.comparingInt((Pair p) -> avoided(p.prefill()) + avoided(p.decode()))
                .thenComparingLong(p -> p.prefill().prefillTokens())
                .thenComparing(p -> p.prefill().report().ref().worker())
                .thenComparingInt(p -> p.decode().decodes())
                .thenComparing(Comparator.comparingInt((Pair p) -> p.decode().freeBlocks())
                        .reversed())
                .thenComparing(p -> p.decode().report().ref().worker());
        Optional<Pair> pair = pairs(room).filter(this::everFits).min(order);
        return pair.isPresent() ? pair : singles(room).filter(this::everFits).min(order);
    }

    private Stream<Pair> pairs(Predicate<Seat> decodeRoom) {
        if (ask.colocated()) {
            return Stream.empty();
        }
        List<Seat> decodes = usable.stream()
                .filter(s -> plays(s, Role.DECODE))
                .filter(decodeRoom)
                .toList();
        return usable.stream()
                .filter(s -> plays(s, Role.PREFILL))
                .flatMap(p -> decodes.stream()
                        .filter(d -> compatible(p.report(), d.report()))
                        .map(d -> new Pair(p, d)));
    }

    /** Workers that do both phases alone: what a colocated ask wants, and what any other ask falls back to. */
    private Stream<Pair> singles(Predicate<Seat> room) {
        return usable.stream()
                .filter(s -> s.report().role().prefills() && s.report().role().decodes())
                .filter(room)
                .map(s -> new Pair(s, s));
    }

    private static boolean plays(Seat seat, Role half) {
        return seat.report().role() == half || seat.report().role() == Role.MIXED;
    }

    private static boolean compatible(WorkerReport prefill, WorkerReport decode) {
        return prefill.abi().equals(decode.abi()) && prefill.identity().equals(decode.identity());
    }

    private int avoided(Seat seat) {
        WorkerId worker = seat.report().ref().worker();
        return ask.avoid().contains(worker) ? 1 : 0;
    }

    private boolean everFits(Pair pair) {
        WorkerReport prefill = pair.prefill().report();
        WorkerReport decode = pair.decode().report();
        return ask.promptTokens() + ask.growthTokensPerChoice() <= decode.contextTokens()
                && ask.promptTokens() <= prefill.contextTokens()
                && blocks(decode) <= decode.totalBlocks()
                && prefill.abi().blocksFor(ask.promptTokens()) <= prefill.totalBlocks();
    }

    /** Blocks of the whole trajectory: the first choice over the prompt, every other with its own copy of the last prompt block. */
    private int blocks(WorkerReport report) {
        int blockTokens = report.abi().blockTokens();
        int whole = report.abi().blocksFor(ask.promptTokens() + ask.growthTokensPerChoice());
        int shared = Math.toIntExact(ask.promptTokens() / blockTokens);
        return whole + (ask.choices() - 1) * (whole - shared);
    }

    Granted onPrefill() {
        return new Granted(ask.promptTokens(), 0, 0);
    }

    Granted onDecode(Pair pair) {
        return new Granted(0, ask.choices(), blocks(pair.decode().report()));
    }
}
