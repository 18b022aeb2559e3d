package dev.baton.scheduler.request;

/** Why one choice ended, in the API's words. */
public enum FinishReason {
    /** End of sequence or a stop string. */
    STOP,
    /** {@code max_tokens} or the context was reached. */
    LENGTH
}
