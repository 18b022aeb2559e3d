package dev.baton.runtime.http;

import com.typesafe.config.Config;
import dev.baton.contract.identity.TenantId;

/**
 * Limits of the HTTP face; {@code baton.http} in the configuration.
 *
 * @param tenant under which every request of this port runs
 * @param colocated whether a request that names no mode is served by one worker without handoff
 * @param maxBodyBytes longest request body
 * @param bodyTimeoutMillis a body must have arrived within this
 * @param maxJsonDepth deepest nesting of a body
 * @param maxPrompts most prompts in one completion request
 * @param maxChoices largest {@code n}
 * @param defaultCompletionTokens {@code max_tokens} of a completion that names none (OpenAI: 16)
 * @param defaultChatTokens most tokens of a chat answer that names no limit; the context bounds it too
 * @param deadlineMillis every request ends within this
 * @param pullItems most pieces of output taken at once
 * @param keepAliveMillis an idle stream carries a comment this often
 * @param retryAfterSeconds what a refused client is told to wait
 */
public record ApiSettings(
        TenantId tenant,
        boolean colocated,
        long maxBodyBytes,
        long bodyTimeoutMillis,
        int maxJsonDepth,
        int maxPrompts,
        int maxChoices,
        int defaultCompletionTokens,
        int defaultChatTokens,
        long deadlineMillis,
        int pullItems,
        long keepAliveMillis,
        long retryAfterSeconds) {

    public static ApiSettings defaults() {
        return new ApiSettings(
                new TenantId("default"), false, 1 << 20, 10_000, 32, 16, 8, 16, 4_096, 600_000, 64, 10_000, 1);
    }

    /** Reads {@code baton.http}; a missing key keeps its default. */
    public static ApiSettings from(Config http) {
        ApiSettings base = defaults();
        return new ApiSettings(
                http.hasPath("tenant") ? new TenantId(http.getString("tenant")) : base.tenant,
                http.hasPath("colocated") ? http.getBoolean("colocated") : base.colocated,
                http.hasPath("max-body") ? http.getBytes("max-body") : base.maxBodyBytes,
                millis(http, "body-timeout", base.bodyTimeoutMillis),
                count(http, "max-json-depth", base.maxJsonDepth),
                count(http, "max-prompts", base.maxPrompts),
                count(http, "max-choices", base.maxChoices),
                count(http, "default-completion-tokens", base.defaultCompletionTokens),
                count(http, "default-chat-tokens", base.defaultChatTokens),
                millis(http, "deadline", base.deadlineMillis),
                count(http, "pull-items", base.pullItems),
                millis(http, "keep-alive", base.keepAliveMillis),
                millis(http, "retry-after", base.retryAfterSeconds * 1_000) / 1_000);
    }

    private static int count(Config config, String key, int otherwise) {
        return config.hasPath(key) ? config.getInt(key) : otherwise;
    }

    private static long millis(Config config, String key, long otherwise) {
        return config.hasPath(key) ? config.getDuration(key).toMillis() : otherwise;
    }
}
