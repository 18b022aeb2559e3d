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
 */
public record DecodeSpec(
        List<Integer> promptTokens,
        List<List<Integer>> givenTokens,
        int maxTokens,
        List<Integer> stopTokens,
        SamplingParams sampling) {
    public DecodeSpec {
        promptTokens = List.copyOf(promptTokens);
        givenTokens = givenTokens.stream().map(List::copyOf).toList();
        stopTokens = List.copyOf(stopTokens);
    }

    public int choices() {
        return givenTokens.size();
    }
}
