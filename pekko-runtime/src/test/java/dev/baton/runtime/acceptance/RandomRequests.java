package dev.baton.runtime.acceptance;

import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.RequestSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Request {@code i} of a seed: the same prompt, limits and sampling whatever the topology. */
final class RandomRequests {
    private static final List<String> STOPS = List.of(".", " is", "the", "plus", "a", "\n");

    private RandomRequests() {}

    static RequestSpec at(Node node, long seed, int i) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + i);
        int context = node.contextTokens();
        int vocabulary = node.vocabulary();
        int promptTokens = switch (i % 8) {
            case 0 -> 1;
            case 1 -> context - 1;
            case 2 -> 16 * random.nextInt(1, 6);
            default -> random.nextInt(1, 120);
        };
        List<Integer> prompt = new ArrayList<>();
        prompt.add(1);
        while (prompt.size() < promptTokens) {
            prompt.add(random.nextInt(7, vocabulary));
        }
        int maxTokens = Math.min(random.nextInt(1, 40), context - promptTokens);
        List<String> stops = random.nextInt(3) == 0 ? List.of(STOPS.get(random.nextInt(STOPS.size()))) : List.of();
        SamplingParams sampling = random.nextInt(3) == 0
                ? SamplingParams.greedy()
                : SamplingParams.plain(0.5f + random.nextInt(10) / 10f, random.nextLong())
                        .withCuts(random.nextInt(0, 50), 0.9f, 0)
                        .withPenalties(1.1f, 0.1f, 0.2f);
        return Requests.spec(node, prompt, maxTokens, random.nextInt(1, 4), stops, random.nextInt(4) == 0, sampling);
    }
}
