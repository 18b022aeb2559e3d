package dev.baton.runtime.http;

import dev.baton.runtime.telemetry.Metrics;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.Usage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Times one answer as its client sees it: first token, pace of the longest choice, outcome. Serves one answer. */
final class AnswerMeter {
    private final Metrics metrics;
    private final long startNanos;
    private final Map<Integer, Integer> tokensByChoice = new HashMap<>();
    private long firstNanos;
    private long lastNanos;
    private boolean started;

    AnswerMeter(Metrics metrics, long startNanos) {
        this.metrics = metrics;
        this.startNanos = startNanos;
    }

    void saw(Piece piece, long nowNanos) {
        switch (piece) {
            case Piece.Output(int prompt, OutputItem item) -> {
                if (!started) {
                    started = true;
                    firstNanos = nowNanos;
                    metrics.firstToken(nowNanos - startNanos);
                }
                lastNanos = nowNanos;
                tokensByChoice.merge(item.choice(), item.tokens().size(), Integer::sum);
            }
            case Piece.Ended ended -> {
                metrics.requestEnded(ended.outcome(), ended.cause(), nowNanos - startNanos);
                @Nullable Usage usage = ended.usage();
                if (usage != null) {
                    metrics.tokens(usage.promptTokens(), usage.completionTokens());
                    metrics.exposedStall(usage.exposedStallNanos());
                }
                int longest = tokensByChoice.values().stream()
                        .mapToInt(Integer::intValue)
                        .max()
                        .orElse(0);
                if (longest > 1) {
                    metrics.tokenPace((lastNanos - firstNanos) / (longest - 1));
                }
            }
            case Piece.Idle idle -> {}
            case Piece.Unknown unknown -> {}
        }
    }
}
