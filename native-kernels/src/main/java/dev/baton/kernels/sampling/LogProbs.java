package dev.baton.kernels.sampling;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Log probabilities of the model's own distribution, before temperature, penalties and bias.
 *
 * @param chosen of the token asked for
 * @param top the most probable tokens, best first
 */
public record LogProbs(TokenLogProb chosen, List<TokenLogProb> top) {

    /** Natural logarithm of a token's probability. */
    public record TokenLogProb(int id, double logProb) {}

    public LogProbs {
        top = List.copyOf(top);
    }

    /**
     * @param row {@code vocabulary} f32 logits in native order
     * @param topCount how many of the most probable tokens to name, 0 or more
     * @throws SamplingException where a logit is NaN or infinite
     */
    public static LogProbs of(MemorySegment row, int vocabulary, int token, int topCount) {
        float[] logits = new float[vocabulary];
        MemorySegment.copy(row, ValueLayout.JAVA_FLOAT_UNALIGNED, 0, logits, 0, vocabulary);
        double logNormalizer = logNormalizer(logits);
        CandidateHeap order = new CandidateHeap(logits);
        order.fill();
        List<TokenLogProb> top = new ArrayList<>(topCount);
        while (top.size() < topCount && order.hasNext()) {
            int id = order.next();
            top.add(new TokenLogProb(id, logits[id] - logNormalizer));
        }
        return new LogProbs(new TokenLogProb(token, logits[token] - logNormalizer), top);
    }

    private static double logNormalizer(float[] logits) {
        float best = Float.NEGATIVE_INFINITY;
        for (int id = 0; id < logits.length; id++) {
            if (!Float.isFinite(logits[id])) {
                throw new SamplingException("logits", "token " + id + " has the logit " + logits[id]);
            }
            best = Math.max(best, logits[id]);
        }
        double mass = 0;
        for (float logit : logits) {
            mass += StrictMath.exp((double) logit - best);
        }
        return best + StrictMath.log(mass);
    }
}
