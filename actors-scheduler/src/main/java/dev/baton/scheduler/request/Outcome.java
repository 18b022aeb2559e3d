package dev.baton.scheduler.request;

/** How a request ended. */
public enum Outcome {
    FINISHED,
    CANCELLED,
    FAILED
}
