package dev.baton.scheduler.request.actor;

import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.RequestMachine;
import dev.baton.scheduler.request.Usage;
import java.util.Optional;

/** Told of what metrics count. Called on the entity's thread; must not block. */
public interface RequestObserver {
    void ended(Outcome outcome, Optional<FailureCause> failure, Usage usage);

    void refused(RequestMachine.Refusal reason);

    /** Counts nothing. */
    static RequestObserver none() {
        return new RequestObserver() {
            @Override
            public void ended(Outcome outcome, Optional<FailureCause> failure, Usage usage) {}

            @Override
            public void refused(RequestMachine.Refusal reason) {}
        };
    }
}
