package dev.baton.contract.manifest;

import java.util.List;

/**
 * What decode needs beside the K/V to go on: the first token of every choice, sampled where prefill ended. The sampler needs no
 * other state: its randomness is a function of seed, choice and token index.
 *
 * @param firstTokens one token per choice, in choice order
 * @param nextTokenIndex index of the next token to be produced, the same for every choice
 */
public record Continuation(List<Integer> firstTokens, int nextTokenIndex) {
    public Continuation {
        firstTokens = List.copyOf(firstTokens);
    }
}
