package dev.baton.transfer.directory;

/** How a publication ended. */
public enum EndReason {
    CONSUMED,
    SUPERSEDED,
    EXPIRED,
    WITHDRAWN
}
