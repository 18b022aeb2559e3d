package dev.baton.runtime.node;

import dev.baton.runtime.telemetry.Metrics;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.RequestMachine;
import dev.baton.scheduler.request.Usage;
import dev.baton.scheduler.request.actor.RequestObserver;
import java.util.Optional;

/** What request entities count: refusals. */
record RequestMeter(Metrics metrics) implements RequestObserver {

    @Override
    public void ended(Outcome outcome, Optional<FailureCause> failure, Usage usage) {
        // Counted by HTTP, which sees how the answer reached the client.
    }

    @Override
    public void refused(RequestMachine.Refusal reason) {
        metrics.refusal("request", reason);
    }
}
