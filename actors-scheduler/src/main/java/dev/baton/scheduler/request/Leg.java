package dev.baton.scheduler.request;

/** Which half of a request. */
public enum Leg {
    PREFILL,
    DECODE
}
