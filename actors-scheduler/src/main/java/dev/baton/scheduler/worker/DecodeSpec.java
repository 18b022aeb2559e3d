package dev.baton.scheduler.worker;

import dev.baton.kernels.sampling.SamplingParams;
import java.util.List;

/**
 * What a decode leg executes. Tokens before {@code firstTokenIndex} of each choice were already given to the client.
 *
 * @param promptTokens the request's prompt
 * @param givenTokens per choice, tokens already given (empty lists on a first attempt); appended to the prompt
 * @param maxTokens most tokens of one choice, counting those given
 * @param stopTokens ids that end a choice; empty when they are ordinary tokens
 * @param firstChoice number within the request of the leg's first choice: the leg's choice {@code c} samples with the stream
 *     {@code (seed, firstChoice + c)}; messages number choices within the leg
 */
public record DecodeSpec(
        List<Integer> promptTokens,
        List<List<Integer>> givenTokens,
        int maxTokens,
        List<Integer> stopTokens,
        SamplingParams sampling,
        int firstChoice) {
    public DecodeSpec {
        promptTokens = List.copyOf(promptTokens);
        givenTokens = givenTokens.stream().map(List::copyOf).toList();
        stopTokens = List.copyOf(stopTokens);
    }

    /** All choices of a request. */
    public DecodeSpec(
            List<Integer> promptTokens,
            List<List<Integer>> givenTokens,
            int maxTokens,
            List<Integer> stopTokens,
            SamplingParams sampling) {
        this(promptTokens, givenTokens, maxTokens, stopTokens, sampling, 0);
    }

    public int choices() {
        return givenTokens.size();
    }
}
