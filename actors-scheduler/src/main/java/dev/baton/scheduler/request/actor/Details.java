package dev.baton.scheduler.request.actor;

import dev.baton.contract.journal.TransitionRecord;
import dev.baton.scheduler.request.Progress;
import dev.baton.scheduler.request.RequestEvent;
import dev.baton.scheduler.request.RequestState;

/** The amounts that a request's transition record carries, as {@code key=value} pairs. */
final class Details {
    private Details() {}

    static String of(RequestEvent event, RequestState to) {
        String amounts = switch (event) {
            case RequestEvent.Submitted e ->
                "promptTokens=" + e.spec().promptTokens().size() + " choices="
                        + e.spec().choices() + " maxTokens=" + e.spec().maxTokens();
            case RequestEvent.RouteGranted e ->
                "prefill=" + e.grant().prefill().worker() + " decode="
                        + e.grant().decode().worker() + " routeEpoch="
                        + e.grant().routeEpoch();
            case RequestEvent.RouteRefused e -> "cause=" + e.cause();
            case RequestEvent.WorkerLost e -> "worker=" + e.worker() + " epoch=" + e.epoch();
            case RequestEvent.CancelRequested e -> "";
            case RequestEvent.Ticked e -> "";
            case RequestEvent.Recovered e -> "";
            case RequestEvent.DecodeReserved e ->
                "reservation=" + e.fence().reservation() + " transfer="
                        + e.fence().transferId();
            case RequestEvent.ColocatedAccepted e -> "reservation=" + e.fence().reservation();
            case RequestEvent.LegRefused e -> "leg=" + e.leg() + " reason=" + e.reason();
            case RequestEvent.PrefillAccepted e -> "";
            case RequestEvent.FirstTokens e ->
                "tokenIndex=" + e.tokenIndex() + " tokens=" + e.tokens().size();
            case RequestEvent.KvPublished e -> "exposedStallNanos=" + e.exposedStallNanos();
            case RequestEvent.TokensProduced e ->
                "choice=" + e.choice() + " firstIndex=" + e.firstIndex() + " tokens="
                        + e.tokens().size();
            case RequestEvent.LegFailed e -> "leg=" + e.leg() + " cause=" + e.cause();
        };
        String position = switch (to) {
            case RequestState.New fresh -> "";
            case RequestState.Open open -> position(open.progress());
            case RequestState.Ended ended -> position(ended.progress());
        };
        return amounts.isEmpty() ? position : position + ' ' + amounts;
    }

    private static String position(Progress progress) {
        return "generation=" + progress.generation() + " attempt=" + progress.attempt();
    }

    static TransitionRecord lastOf(TransitionRecord record, long count) {
        return new TransitionRecord(
                record.machine(),
                record.where(),
                record.atEpochMicros(),
                record.sequence(),
                record.from(),
                record.event(),
                record.to(),
                record.detail() + " last_of=" + count);
    }
}
