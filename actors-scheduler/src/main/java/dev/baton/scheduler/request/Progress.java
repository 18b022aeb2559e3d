package dev.baton.scheduler.request;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.worker.DecodeSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a request has achieved and tried, whatever its state.
 *
 * @param routeAsk counter of route asks; 0 before the first
 * @param retries generations spent after the first
 * @param refusals refusals in this generation
 * @param avoid workers that refused or failed this request last, newest last
 * @param answers per choice
 * @param nextSequence number of the next output item
 * @param firstTokenAtNanos 0 while there is none
 * @param abandoned bindings left before the destination had named its reservation: a late answer is released
 */
public record Progress(
        RequestSpec spec,
        Generation generation,
        Attempt attempt,
        long routeAsk,
        int retries,
        int refusals,
        List<WorkerId> avoid,
        List<Answer> answers,
        int nextSequence,
        long startedAtNanos,
        long firstTokenAtNanos,
        long exposedStallNanos,
        List<Binding> abandoned) {

    private static final int MOST_ABANDONED = 16;
    private static final int MOST_AVOIDED = 4;

    public Progress {
        avoid = List.copyOf(avoid);
        answers = List.copyOf(answers);
        abandoned = List.copyOf(abandoned);
    }

    static Progress begin(RequestSpec spec, long atNanos) {
        return new Progress(
                spec,
                Generation.FIRST,
                Attempt.FIRST,
                0,
                0,
                0,
                List.of(),
                Collections.nCopies(spec.choices(), Answer.EMPTY),
                0,
                atNanos,
                0,
                0,
                List.of());
    }

    long deadlineNanos() {
        return startedAtNanos + spec.deadlineMillis() * 1_000_000L;
    }

    boolean allEnded() {
        return answers.stream().allMatch(Answer::ended);
    }

    /** First choice of the next leg: all choices share one prefill until one of them has a token, then each goes alone. */
    int legFirstChoice() {
        for (int c = 0; c < answers.size(); c++) {
            if (!answers.get(c).ended()) {
                return c;
            }
        }
        throw new IllegalStateException("no choice is unfinished");
    }

    int legChoices() {
        boolean fresh = answers.stream().allMatch(a -> a.tokens().isEmpty() && !a.ended());
        return fresh ? answers.size() : 1;
    }

    int legFirstIndex() {
        return answers.get(legFirstChoice()).tokens().size();
    }

    DecodeSpec decodeSpec(Binding binding, List<Integer> endTokens) {
        return new DecodeSpec(
                spec.promptTokens(),
                answers.subList(binding.firstChoice(), binding.firstChoice() + binding.choices()).stream()
                        .map(Answer::tokens)
                        .toList(),
                spec.maxTokens(),
                spec.ignoreEos() ? List.of() : endTokens,
                spec.sampling(),
                binding.firstChoice());
    }

    public Usage usage() {
        long completionTokens =
                answers.stream().mapToLong(a -> a.tokens().size()).sum();
        long ttftNanos = firstTokenAtNanos == 0 ? 0 : firstTokenAtNanos - startedAtNanos;
        return new Usage(spec.promptTokens().size(), completionTokens, ttftNanos, exposedStallNanos);
    }

    Progress asked() {
        return new Progress(
                spec,
                generation,
                attempt,
                routeAsk + 1,
                retries,
                refusals,
                avoid,
                answers,
                nextSequence,
                startedAtNanos,
                firstTokenAtNanos,
                exposedStallNanos,
                abandoned);
    }

    /** Nothing had begun: the same generation tries another pair. */
    Progress refusedBy(List<WorkerId> workers) {
        return at(generation, attempt.next(), retries, refusals + 1, avoiding(workers));
    }

    /** The choices of one leg are done, others still wait. */
    Progress nextLeg() {
        return at(generation, attempt.next(), retries, 0, List.of());
    }

    /** Something that had begun failed. */
    Progress failedBy(List<WorkerId> workers, int moreRetries) {
        return at(generation.next(), Attempt.FIRST, retries + moreRetries, 0, avoiding(workers));
    }

    private Progress at(
            Generation newGeneration, Attempt newAttempt, int newRetries, int newRefusals, List<WorkerId> newAvoid) {
        return new Progress(
                spec,
                newGeneration,
                newAttempt,
                routeAsk,
                newRetries,
                newRefusals,
                newAvoid,
                answers,
                nextSequence,
                startedAtNanos,
                firstTokenAtNanos,
                exposedStallNanos,
                abandoned);
    }

    private List<WorkerId> avoiding(List<WorkerId> workers) {
        List<WorkerId> all = new ArrayList<>(avoid);
        all.removeAll(workers);
        all.addAll(workers);
        return all.subList(Math.max(0, all.size() - MOST_AVOIDED), all.size());
    }

    Progress withAnswer(int choice, Answer answer, int items, long atNanos) {
        List<Answer> all = new ArrayList<>(answers);
        all.set(choice, answer);
        return new Progress(
                spec,
                generation,
                attempt,
                routeAsk,
                retries,
                refusals,
                avoid,
                all,
                nextSequence + items,
                startedAtNanos,
                firstTokenAtNanos == 0 ? atNanos : firstTokenAtNanos,
                exposedStallNanos,
                abandoned);
    }

    Progress stalled(long nanos) {
        return new Progress(
                spec,
                generation,
                attempt,
                routeAsk,
                retries,
                refusals,
                avoid,
                answers,
                nextSequence,
                startedAtNanos,
                firstTokenAtNanos,
                exposedStallNanos + nanos,
                abandoned);
    }

    Progress abandoning(Binding binding) {
        List<Binding> all = new ArrayList<>(abandoned);
        all.add(binding);
        return withAbandoned(all.subList(Math.max(0, all.size() - MOST_ABANDONED), all.size()));
    }

    Progress settled(Binding binding) {
        return withAbandoned(abandoned.stream().filter(b -> !b.equals(binding)).toList());
    }

    private Progress withAbandoned(List<Binding> bindings) {
        return new Progress(
                spec,
                generation,
                attempt,
                routeAsk,
                retries,
                refusals,
                avoid,
                answers,
                nextSequence,
                startedAtNanos,
                firstTokenAtNanos,
                exposedStallNanos,
                bindings);
    }
}
