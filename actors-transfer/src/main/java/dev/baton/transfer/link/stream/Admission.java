package dev.baton.transfer.link.stream;

/** What the stream says to an offered chunk. */
public enum Admission {
    /** It waits for credit and will be reported. */
    QUEUED,
    /** The queue is at its bound: offer again after the next {@code sent}. */
    QUEUE_FULL,
    /** Its transfer was cancelled here. */
    TRANSFER_CANCELLED,
    /** The link failed or was closed. */
    LINK_CLOSED
}
