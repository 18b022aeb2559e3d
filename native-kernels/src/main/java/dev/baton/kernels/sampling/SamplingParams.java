package dev.baton.kernels.sampling;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How to choose tokens. Steps apply in the order of the components: penalties, then bias, then temperature, then the cuts.
 *
 * @param temperature divides logits; 0 is greedy, at most 100
 * @param topK keeps the k most probable tokens; 0 keeps all
 * @param topP keeps the fewest most probable tokens that together have this probability, above 0 to 1
 * @param minP keeps tokens at least this times as probable as the best, 0 to 1
 * @param repetitionPenalty divides positive and multiplies negative logits of tokens in prompt or answer (Keskar et al. 2019,
 *     CTRL); above 0, 1 is none
 * @param presencePenalty subtracted once from logits of tokens in the answer, -2 to 2 (OpenAI)
 * @param frequencyPenalty subtracted per occurrence in the answer, -2 to 2 (OpenAI)
 * @param logitBias added to logits of token ids, -100 to 100; -100 bans, 100 leaves only tokens with 100 to choose from
 * @param seed of the random numbers
 */
public record SamplingParams(
        float temperature,
        int topK,
        float topP,
        float minP,
        float repetitionPenalty,
        float presencePenalty,
        float frequencyPenalty,
        SortedMap<Integer, Float> logitBias,
        long seed) {

    public static final float BAN = -100;
    public static final float FORCE = 100;
    private static final float MAX_TEMPERATURE = 100;

    /** @throws SamplingException naming the field out of range, as OpenAI spells it */
    public SamplingParams {
        check("temperature", temperature, temperature >= 0 && temperature <= MAX_TEMPERATURE, "from 0 to 100");
        check("top_k", topK, topK >= 0, "0 (all tokens) or more");
        check("top_p", topP, topP > 0 && topP <= 1, "above 0, at most 1");
        check("min_p", minP, minP >= 0 && minP <= 1, "from 0 to 1");
        boolean usable = repetitionPenalty > 0 && repetitionPenalty <= 100;
        check("repetition_penalty", repetitionPenalty, usable, "above 0, at most 100");
        check("presence_penalty", presencePenalty, Math.abs(presencePenalty) <= 2, "from -2 to 2");
        check("frequency_penalty", frequencyPenalty, Math.abs(frequencyPenalty) <= 2, "from -2 to 2");
        logitBias = Collections.unmodifiableSortedMap(new TreeMap<>(logitBias));
        logitBias.forEach((token, bias) -> {
            check("logit_bias", token, token >= 0, "token ids of 0 or more");
            check("logit_bias", bias, Math.abs(bias) <= FORCE, "biases from -100 to 100");
        });
    }

    /** Always the most probable token; the lowest id of several. */
    public static SamplingParams greedy() {
        return new SamplingParams(0, 0, 1, 0, 1, 0, 0, Collections.emptySortedMap(), 0);
    }

    /** The model's own distribution. */
    public static SamplingParams plain(float temperature, long seed) {
        return new SamplingParams(temperature, 0, 1, 0, 1, 0, 0, Collections.emptySortedMap(), seed);
    }

    /** Same parameters with cuts; 0, 1 and 0 cut nothing. */
    public SamplingParams withCuts(int newTopK, float newTopP, float newMinP) {
        return new SamplingParams(
                temperature,
                newTopK,
                newTopP,
                newMinP,
                repetitionPenalty,
                presencePenalty,
                frequencyPenalty,
                logitBias,
                seed);
    }

    /** Same parameters with penalties; 1, 0 and 0 change nothing. */
    public SamplingParams withPenalties(float repetition, float presence, float frequency) {
        return new SamplingParams(temperature, topK, topP, minP, repetition, presence, frequency, logitBias, seed);
    }

    public SamplingParams withLogitBias(SortedMap<Integer, Float> bias) {
        return new SamplingParams(
                temperature, topK, topP, minP, repetitionPenalty, presencePenalty, frequencyPenalty, bias, seed);
    }

    public boolean isGreedy() {
        return temperature == 0;
    }

    boolean hasPenalties() {
        return repetitionPenalty != 1 || presencePenalty != 0 || frequencyPenalty != 0;
    }

    private static void check(String field, Number found, boolean holds, String expected) {
        if (!holds) {
            throw new SamplingException(field, found + " is not " + expected);
        }
    }
}
