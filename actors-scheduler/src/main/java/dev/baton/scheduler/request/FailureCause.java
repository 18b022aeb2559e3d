package dev.baton.scheduler.request;

/** Why a request failed; each has its HTTP status and metric label. */
public enum FailureCause {
    /** No worker of a needed role is in the cluster. */
    NO_WORKER,
    /** Queues or K/V memory are full. */
    OVERLOADED,
    /** The request can never fit the K/V memory of any worker. */
    TOO_LARGE,
    /** The request's deadline passed. */
    DEADLINE,
    /** Every permitted generation failed. */
    RETRIES_EXHAUSTED,
    /** A worker met a bug and fenced itself. */
    INTERNAL
}
