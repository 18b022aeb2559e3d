package dev.baton.scheduler.request;

import dev.baton.contract.identity.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where a request is (§0x00A). */
public sealed interface RequestState {

    /** Nothing was submitted under this id. */
    record New() implements RequestState {}

    /** Every state that must end: by an answer, or at {@link #dueAtNanos()}. */
    sealed interface Open extends RequestState {
        Progress progress();

        long dueAtNanos();
    }

    /** Waits for a pair of workers. {@code dueAtNanos}: when the ask is repeated. */
    record Routing(Progress progress, long dueAtNanos, long giveUpAtNanos) implements Open {}

    /** Refused; asks again when due. Holds nothing. */
    record Resting(Progress progress, long dueAtNanos, long giveUpAtNanos) implements Open {}

    /**
     * The destination was asked to reserve.
     *
     * @param asked false once it has refused: it holds nothing
     */
    record Reserving(Progress progress, Binding binding, long dueAtNanos, boolean asked) implements Open {
        Reserving(Progress progress, Binding binding, long dueAtNanos) {
            this(progress, binding, dueAtNanos, true);
        }

        Reserving refusedByDestination() {
            return new Reserving(progress, binding, dueAtNanos, false);
        }
    }

    /** The destination holds a reservation. */
    sealed interface Live extends Open {
        Binding binding();

        /** Tokens that overtook the first ones, at most one batch per choice. */
        List<RequestEvent.TokensProduced> early();

        boolean awaitsFirstTokens();

        /** Which worker a missed deadline speaks against. */
        WorkerId suspect();

        Live advancedTo(Progress progress, long dueAtNanos);

        Live keeping(RequestEvent.TokensProduced early);

        Live without(Leg leg);
    }

    record Prefilling(
            Progress progress,
            Binding binding,
            boolean accepted,
            List<RequestEvent.TokensProduced> early,
            long dueAtNanos)
            implements Live {
        public Prefilling {
            early = List.copyOf(early);
        }

        @Override
        public boolean awaitsFirstTokens() {
            return true;
        }

        @Override
        public WorkerId suspect() {
            return binding.prefill().worker();
        }

        @Override
        public Live advancedTo(Progress next, long nextDueAtNanos) {
            return new Prefilling(next, binding, accepted, early, nextDueAtNanos);
        }

        @Override
        public Live keeping(RequestEvent.TokensProduced event) {
            return new Prefilling(progress, binding, accepted, plus(early, event), dueAtNanos);
        }

        @Override
        public Live without(Leg leg) {
            return new Prefilling(progress, binding.withoutPrefill(), accepted, early, dueAtNanos);
        }

        Prefilling asAccepted() {
            return new Prefilling(progress, binding, true, early, dueAtNanos);
        }
    }

    /** First tokens given; the K/V is not yet visible to decode. */
    record PrefillComputeComplete(Progress progress, Binding binding, long dueAtNanos) implements Live {
        @Override
        public List<RequestEvent.TokensProduced> early() {
            return List.of();
        }

        @Override
        public boolean awaitsFirstTokens() {
            return false;
        }

        @Override
        public WorkerId suspect() {
            return binding.prefill().worker();
        }

        @Override
        public Live advancedTo(Progress next, long nextDueAtNanos) {
            return new PrefillComputeComplete(next, binding, nextDueAtNanos);
        }

        @Override
        public Live keeping(RequestEvent.TokensProduced event) {
            throw new IllegalStateException("first tokens are known");
        }

        @Override
        public Live without(Leg leg) {
            return new PrefillComputeComplete(progress, binding.withoutPrefill(), dueAtNanos);
        }
    }

    /** The K/V is visible to decode; the first tokens are still on their way. */
    record KvReady(Progress progress, Binding binding, List<RequestEvent.TokensProduced> early, long dueAtNanos)
            implements Live {
        public KvReady {
            early = List.copyOf(early);
        }

        @Override
        public boolean awaitsFirstTokens() {
            return true;
        }

        @Override
        public WorkerId suspect() {
            return binding.prefill().worker();
        }

        @Override
        public Live advancedTo(Progress next, long nextDueAtNanos) {
            return new KvReady(next, binding, early, nextDueAtNanos);
        }

        @Override
        public Live keeping(RequestEvent.TokensProduced event) {
            return new KvReady(progress, binding, plus(early, event), dueAtNanos);
        }

        @Override
        public Live without(Leg leg) {
            return new KvReady(progress, binding.withoutPrefill(), early, dueAtNanos);
        }
    }

    record Decoding(Progress progress, Binding binding, long dueAtNanos) implements Live {
        @Override
        public List<RequestEvent.TokensProduced> early() {
            return List.of();
        }

        @Override
        public boolean awaitsFirstTokens() {
            return false;
        }

        @Override
        public WorkerId suspect() {
            return binding.decode().worker();
        }

        @Override
        public Live advancedTo(Progress next, long nextDueAtNanos) {
            return new Decoding(next, binding, nextDueAtNanos);
        }

        @Override
        public Live keeping(RequestEvent.TokensProduced event) {
            throw new IllegalStateException("first tokens are known");
        }

        @Override
        public Live without(Leg leg) {
            return new Decoding(progress, binding.withoutPrefill(), dueAtNanos);
        }
    }

    /** Terminal: nothing is bound. */
    sealed interface Ended extends RequestState {
        Progress progress();

        Outcome outcome();

        Optional<FailureCause> failure();
    }

    record Finished(Progress progress) implements Ended {
        @Override
        public Outcome outcome() {
            return Outcome.FINISHED;
        }

        @Override
        public Optional<FailureCause> failure() {
            return Optional.empty();
        }
    }

    record Cancelled(Progress progress) implements Ended {
        @Override
        public Outcome outcome() {
            return Outcome.CANCELLED;
        }

        @Override
        public Optional<FailureCause> failure() {
            return Optional.empty();
        }
    }

    record Failed(Progress progress, FailureCause cause) implements Ended {
        @Override
        public Outcome outcome() {
            return Outcome.FAILED;
        }

        @Override
        public Optional<FailureCause> failure() {
            return Optional.of(cause);
        }
    }

    /** The same state with other progress. */
    static RequestState with(RequestState state, Progress progress) {
        return switch (state) {
            case New fresh -> fresh;
            case Routing s -> new Routing(progress, s.dueAtNanos(), s.giveUpAtNanos());
            case Resting s -> new Resting(progress, s.dueAtNanos(), s.giveUpAtNanos());
            case Reserving s -> new Reserving(progress, s.binding(), s.dueAtNanos(), s.asked());
            case Live s -> s.advancedTo(progress, s.dueAtNanos());
            case Finished s -> new Finished(progress);
            case Cancelled s -> new Cancelled(progress);
            case Failed s -> new Failed(progress, s.cause());
        };
    }

    private static List<RequestEvent.TokensProduced> plus(
            List<RequestEvent.TokensProduced> early, RequestEvent.TokensProduced event) {
        List<RequestEvent.TokensProduced> all = new ArrayList<>(early);
        all.add(event);
        return all;
    }
}
