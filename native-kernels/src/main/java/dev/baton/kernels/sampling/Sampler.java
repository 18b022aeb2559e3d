package dev.baton.kernels.sampling;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/**
 * Chooses the next token of one choice of one request. Candidates are ordered by logit, highest first, then by id; sums are
 * f64 in a fixed order; exponentials are {@link StrictMath}'s. So every machine chooses the same token from the same logits.
 * Scratch memory is reused: a steady state allocates nothing. Not thread-safe.
 */
public final class Sampler {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final SamplingParams params;
    private final int choice;
    private final float[] logits;
    private final CandidateHeap candidates;
    private final double[] kept;
    private final int[] answerCounts;
    private final boolean forced;

    /**
     * @param choice which of the request's {@code n} answers, from 0
     * @param vocabulary number of logits in a row
     * @throws SamplingException where {@code logit_bias} names a token outside the vocabulary
     */
    public Sampler(SamplingParams params, int choice, int vocabulary) {
        if (vocabulary < 1) {
            throw new IllegalArgumentException("vocabulary of " + vocabulary);
        }
        if (!params.logitBias().isEmpty() && params.logitBias().lastKey() >= vocabulary) {
            throw new SamplingException(
                    "logit_bias",
                    "token " + params.logitBias().lastKey() + " is outside the vocabulary of " + vocabulary);
        }
        this.params = params;
        this.choice = choice;
        this.logits = new float[vocabulary];
        this.candidates = new CandidateHeap(logits);
        this.kept = params.isGreedy() ? new double[0] : new double[vocabulary];
        this.answerCounts = params.hasPenalties() ? new int[vocabulary] : new int[0];
        this.forced = params.logitBias().containsValue(SamplingParams.FORCE);
    }

    /**
     * @param row {@code vocabulary} f32 logits in native order; not changed
     * @param history prompt and answer so far, for the penalties
     * @param tokenIndex of the token to choose, 0 for the first of the answer
     * @throws SamplingException where a logit is NaN or infinite, or every token is banned
     */
    public int sample(MemorySegment row, TokenHistory history, long tokenIndex) {
        load(row);
        if (params.hasPenalties()) {
            penalize(history);
        }
        bias();
        return params.isGreedy() ? best() : draw(tokenIndex);
    }

    private void load(MemorySegment row) {
        if (row.byteSize() < (long) logits.length * Float.BYTES) {
            throw new SamplingException(
                    "logits", row.byteSize() + " bytes are no row of " + logits.length + " f32 logits");
        }
        MemorySegment.copy(row, FLOAT, 0, logits, 0, logits.length);
        for (int id = 0; id < logits.length; id++) {
            if (!Float.isFinite(logits[id])) {
                throw new SamplingException("logits", "token " + id + " has the logit " + logits[id]);
            }
        }
    }

    private void penalize(TokenHistory history) {
        for (int i = history.promptTokens(); i < history.size(); i++) {
            answerCounts[history.id(i)]++;
        }
        // The repetition penalty applies once per token however often it occurs; a count below 0 marks it done.
        for (int i = 0; i < history.size(); i++) {
            int id = history.id(i);
            if (answerCounts[id] >= 0) {
                logits[id] = penalized(logits[id], answerCounts[id]);
                answerCounts[id] = -1;
            }
        }
        for (int i = 0; i < history.size(); i++) {
            answerCounts[history.id(i)] = 0;
        }
    }

    private float penalized(float logit, int timesInAnswer) {
        float repeated = logit > 0 ? logit / params.repetitionPenalty() : logit * params.repetitionPenalty();
        return timesInAnswer == 0
                ? repeated
                : repeated - params.presencePenalty() - timesInAnswer * params.frequencyPenalty();
    }

    private void bias() {
        if (params.logitBias().isEmpty()) {
            return;
        }
        if (forced) {
            keepOnlyForced();
            return;
        }
        for (Map.Entry<Integer, Float> entry : params.logitBias().entrySet()) {
            int id = entry.getKey();
            float bias = entry.getValue();
            logits[id] = bias == SamplingParams.BAN ? Float.NEGATIVE_INFINITY : logits[id] + bias;
        }
    }

    private void keepOnlyForced() {
        for (int id = 0; id < logits.length; id++) {
            Float bias = params.logitBias().get(id);
            if (bias == null || bias != SamplingParams.FORCE) {
                logits[id] = Float.NEGATIVE_INFINITY;
            }
        }
    }

    private int best() {
        int best = 0;
        for (int id = 1; id < logits.length; id++) {
            if (logits[id] > logits[best]) {
                best = id;
            }
        }
        return notBanned(best);
    }

    private int draw(long tokenIndex) {
        candidates.fill();
        notBanned(candidates.peek());
        double best = logits[candidates.peek()];
        double totalMass = params.topK() == 0 ? massOfAll(best) : massOfTop(params.topK(), best);
        double u = CounterRandom.uniform(params.seed(), choice, tokenIndex);
        boolean cutsByMass = params.topP() < 1 || params.minP() > 0;
        return cutsByMass ? drawFromPrefix(u, totalMass, best) : drawFromAll(u * totalMass, best);
    }

    private double massOfAll(double best) {
        double mass = 0;
        for (float logit : logits) {
            mass += weight(logit, best);
        }
        return mass;
    }

    /** Leaves only the k best in the heap. */
    private double massOfTop(int k, double best) {
        int count = candidates.truncate(k);
        double mass = 0;
        for (int i = 0; i < count; i++) {
            mass += weight(logits[candidates.at(i)], best);
        }
        return mass;
    }

    private int drawFromAll(double target, double best) {
        double mass = 0;
        int id = candidates.peek();
        while (candidates.hasNext()) {
            int next = candidates.peek();
            double weight = weight(logits[next], best);
            if (weight == 0) {
                break;
            }
            id = candidates.next();
            mass += weight;
            if (mass > target) {
                break;
            }
        }
        return id;
    }

    /** The cuts by top-p and min-p each keep a prefix of the order; what both keep is the shorter one. */
    private int drawFromPrefix(double u, double totalMass, double best) {
        double mass = 0;
        int count = 0;
        while (candidates.hasNext() && (count == 0 || mass < params.topP() * totalMass)) {
            double weight = weight(logits[candidates.peek()], best);
            if (count > 0 && (weight == 0 || weight < params.minP())) {
                break;
            }
            candidates.next();
            kept[count++] = weight;
            mass += weight;
        }
        double target = u * mass;
        double passed = 0;
        int chosen = 0;
        while (chosen < count - 1) {
            passed += kept[chosen];
            if (passed > target) {
                break;
            }
            chosen++;
        }
        return candidates.taken(chosen);
    }

    private double weight(float logit, double best) {
        return StrictMath.exp((logit - best) / params.temperature());
    }

    private int notBanned(int id) {
        if (logits[id] == Float.NEGATIVE_INFINITY) {
            throw new SamplingException("logit_bias", "every token of the vocabulary is banned");
        }
        return id;
    }
}
