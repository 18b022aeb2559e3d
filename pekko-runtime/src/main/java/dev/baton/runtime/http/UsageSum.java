package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.scheduler.request.Usage;

/** Usage over the prompts of one answer. */
record UsageSum(long promptTokens, long completionTokens) {

    static final UsageSum NONE = new UsageSum(0, 0);

    UsageSum plus(Usage usage) {
        return new UsageSum(promptTokens + usage.promptTokens(), completionTokens + usage.completionTokens());
    }

    ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("prompt_tokens", promptTokens)
                .put("completion_tokens", completionTokens)
                .put("total_tokens", promptTokens + completionTokens);
    }
}
