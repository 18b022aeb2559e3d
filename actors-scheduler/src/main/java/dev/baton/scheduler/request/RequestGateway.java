package dev.baton.scheduler.request;

import dev.baton.contract.identity.RequestId;

/** Reaches a request entity wherever it lives. Workers hold this instead of an actor reference, which a move would break. */
@FunctionalInterface
public interface RequestGateway {
    void tell(RequestId request, RequestProtocol.Command message);
}
