package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.kernels.sampling.SamplingException;
import dev.baton.kernels.sampling.SamplingParams;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How tokens are chosen. Temperature 0 is greedy; without a seed each request gets its own. */
final class SamplingReader {
    private static final int MAX_BIASES = 1_024;
    private static final int MAX_ID_DIGITS = 9;
    /** OpenAI accepts top_p = 0 and means the single most probable token. */
    private static final float LEAST_TOP_P = Float.MIN_NORMAL;

    private static final double LEAST_REPETITION_PENALTY = 0.01;

    private SamplingReader() {}

    static SamplingParams read(Fields fields, int vocabulary, LongSupplier randomSeeds) {
        float temperature = fields.real("temperature", 0, 2, 1);
        float topP = Math.max(LEAST_TOP_P, fields.real("top_p", 0, 1, 1));
        float minP = fields.real("min_p", 0, 1, 0);
        // -1 is how other servers write "all tokens".
        int topK = Math.max(0, fields.integer("top_k", -1, Integer.MAX_VALUE, 0));
        float repetition = fields.real("repetition_penalty", LEAST_REPETITION_PENALTY, 100, 1);
        float presence = fields.real("presence_penalty", -2, 2, 0);
        float frequency = fields.real("frequency_penalty", -2, 2, 0);
        SortedMap<Integer, Float> bias = bias(fields.value("logit_bias"), vocabulary);
        OptionalLong seed = fields.signed64("seed");
        try {
            return new SamplingParams(
                    temperature,
                    topK,
                    topP,
                    minP,
                    repetition,
                    presence,
                    frequency,
                    bias,
                    seed.isPresent() ? seed.getAsLong() : randomSeeds.getAsLong());
        } catch (SamplingException e) {
            throw ApiError.invalid(e.field(), "invalid_value", e.getMessage() + ".");
        }
    }

    private static SortedMap<Integer, Float> bias(@Nullable JsonNode value, int vocabulary) {
        SortedMap<Integer, Float> biases = new TreeMap<>();
        if (value == null) {
            return biases;
        }
        if (!(value instanceof ObjectNode object)) {
            throw Fields.wrongType("logit_bias", "an object from token ids to numbers", value);
        }
        if (object.size() > MAX_BIASES) {
            throw ApiError.invalid(
                    "logit_bias", "invalid_value", "logit_bias has more than " + MAX_BIASES + " entries.");
        }
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            int token = tokenId(entry.getKey(), vocabulary);
            float bias = Fields.real("logit_bias." + token, entry.getValue(), -100, 100);
            if (biases.put(token, bias) != null) {
                throw ApiError.invalid("logit_bias", "invalid_value", "logit_bias names token " + token + " twice.");
            }
        }
        return biases;
    }

    private static int tokenId(String key, int vocabulary) {
        boolean digits =
                !key.isEmpty() && key.length() <= MAX_ID_DIGITS && key.chars().allMatch(c -> c >= '0' && c <= '9');
        int id = digits ? Integer.parseInt(key) : -1;
        if (id < 0 || id >= vocabulary) {
            throw ApiError.invalid(
                    "logit_bias",
                    "invalid_value",
                    "logit_bias has a key that is no token id of this model (0 to " + (vocabulary - 1) + ").");
        }
        return id;
    }
}
