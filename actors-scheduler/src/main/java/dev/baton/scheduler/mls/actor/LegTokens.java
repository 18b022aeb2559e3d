package dev.baton.scheduler.mls.actor;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.manifest.Digests;
import dev.baton.scheduler.worker.DecodeSpec;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a leg prefills: the prompt and, on a continuation, the tokens already given, which are the same for every choice
 * (choices that went different ways continue in legs of their own).
 */
public final class LegTokens {
    private final DecodeSpec spec;
    private final List<Integer> all;

    private LegTokens(DecodeSpec spec) {
        this.spec = spec;
        this.all = Stream.concat(spec.promptTokens().stream(), spec.givenTokens().getFirst().stream())
                .toList();
    }

    /** @throws IllegalArgumentException when the choices were not given the same tokens, or there is no token or no choice */
    public static LegTokens of(DecodeSpec spec) {
        if (spec.givenTokens().isEmpty()) {
            throw new IllegalArgumentException("a leg needs a choice");
        }
        if (spec.givenTokens().stream().distinct().count() != 1) {
            throw new IllegalArgumentException("choices of one leg must have been given the same tokens");
        }
        if (spec.promptTokens().isEmpty()) {
            throw new IllegalArgumentException("a leg needs a prompt");
        }
        return new LegTokens(spec);
    }

    public DecodeSpec spec() {
        return spec;
    }

    /** Tokens to prefill, in order. */
    public List<Integer> all() {
        return all;
    }

    public int count() {
        return all.size();
    }

    /** Index of the token that is sampled where prefill ends. */
    public int firstTokenIndex() {
        return spec.givenTokens().getFirst().size();
    }

    public int choices() {
        return spec.choices();
    }

    /** Number within the request of one of the leg's choices: its random stream. */
    public int stream(int choice) {
        return spec.firstChoice() + choice;
    }

    /** Tokens that a choice may still produce. */
    public int growthTokens() {
        return Math.max(0, spec.maxTokens() - firstTokenIndex());
    }

    public Digest digest() {
        return Digests.ofTokens(all);
    }

    public int[] promptIds() {
        return ids(spec.promptTokens());
    }

    public int[] givenIds() {
        return ids(spec.givenTokens().getFirst());
    }

    private static int[] ids(List<Integer> tokens) {
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
}
