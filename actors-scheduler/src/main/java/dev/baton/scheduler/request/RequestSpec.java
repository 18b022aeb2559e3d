package dev.baton.scheduler.request;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.kernels.sampling.SamplingParams;
import java.util.List;

/**
 * What the client asked for, checked and tokenized: immutable, journaled once.
 *
 * @param promptTokens ids including the beginning-of-sequence token where the model wants one; never empty
 * @param maxTokens most tokens of one choice; prompt plus this fits the context
 * @param choices number of answers ({@code n})
 * @param stopStrings output ends before the first of them
 * @param ignoreEos whether an end-of-sequence token is an ordinary token
 * @param sampling choice {@code c} samples with the stream {@code (seed, c)}
 * @param colocated whether the request must be served by one worker without handoff
 * @param submittedEpochMicros wall clock at admission
 * @param deadlineMillis the whole request must end within this time of admission
 */
public record RequestSpec(
        TenantId tenant,
        RequestId request,
        ModelId model,
        List<Integer> promptTokens,
        int maxTokens,
        int choices,
        List<String> stopStrings,
        boolean ignoreEos,
        SamplingParams sampling,
        boolean colocated,
        long submittedEpochMicros,
        long deadlineMillis) {
    public RequestSpec {
        promptTokens = List.copyOf(promptTokens);
        stopStrings = List.copyOf(stopStrings);
    }
}
