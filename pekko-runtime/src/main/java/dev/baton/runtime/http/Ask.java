package dev.baton.runtime.http;

import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.scheduler.request.RequestSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A client's request, read and checked.
 *
 * @param prompts one for a chat, one or more for a completion
 * @param choices answers for each prompt
 * @param includeUsage whether a stream ends with a chunk of usage numbers
 */
record Ask(
        AnswerId.Kind kind,
        ModelCard model,
        List<Prompt> prompts,
        int choices,
        List<String> stopStrings,
        boolean ignoreEos,
        SamplingParams sampling,
        boolean colocated,
        boolean stream,
        boolean includeUsage) {

    /**
     * @param maxTokens most tokens of one choice; fits the context together with the prompt
     * @param echo text to give before the answer; empty without {@code echo}
     */
    record Prompt(List<Integer> tokens, int maxTokens, String echo) {
        Prompt {
            tokens = List.copyOf(tokens);
        }
    }

    Ask {
        prompts = List.copyOf(prompts);
        stopStrings = List.copyOf(stopStrings);
    }

    /** One specification for each prompt. */
    List<RequestSpec> specs(AnswerId id, ApiSettings settings, long submittedEpochMicros) {
        return IntStream.range(0, prompts.size())
                .mapToObj(i -> new RequestSpec(
                        settings.tenant(),
                        id.request(i),
                        model.id(),
                        prompts.get(i).tokens(),
                        prompts.get(i).maxTokens(),
                        choices,
                        stopStrings,
                        ignoreEos,
                        sampling,
                        colocated,
                        submittedEpochMicros,
                        settings.deadlineMillis()))
                .toList();
    }
}
