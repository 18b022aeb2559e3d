package dev.baton.decode;

import java.util.ArrayList;
import java.util.List;

/**
 * Tokens of one choice between loop and request entity.
 *
 * @param unsent sampled, not sent yet; the first has index {@code sentBelow}
 * @param acceptedBelow the entity has journaled tokens of lower index
 * @param sentBelow tokens of lower index were sent; above {@code acceptedBelow} while a batch is unacknowledged
 * @param onLoop whether the loop still runs it
 * @param ended whether no further token of it is wanted
 */
public record ChoiceProgress(List<Integer> unsent, int acceptedBelow, int sentBelow, boolean onLoop, boolean ended) {
    public ChoiceProgress {
        unsent = List.copyOf(unsent);
    }

    static ChoiceProgress startingAt(int index) {
        return new ChoiceProgress(List.of(), index, index, true, false);
    }

    int nextIndex() {
        return sentBelow + unsent.size();
    }

    boolean awaitsAcknowledgement() {
        return acceptedBelow < sentBelow;
    }

    ChoiceProgress sampled(int token) {
        List<Integer> tokens = new ArrayList<>(unsent);
        tokens.add(token);
        return new ChoiceProgress(tokens, acceptedBelow, sentBelow, onLoop, ended);
    }

    ChoiceProgress sentAll() {
        return new ChoiceProgress(List.of(), acceptedBelow, nextIndex(), onLoop, ended);
    }

    ChoiceProgress accepted(int below) {
        return new ChoiceProgress(unsent, below, sentBelow, onLoop, ended);
    }

    ChoiceProgress offLoop() {
        return new ChoiceProgress(unsent, acceptedBelow, sentBelow, false, ended);
    }

    /** Unsent tokens of an ended choice are of no use to anyone. */
    ChoiceProgress end() {
        return new ChoiceProgress(List.of(), acceptedBelow, sentBelow, onLoop, true);
    }
}
