package dev.baton.transfer.link;

import java.io.Serial;

/** The link can't carry on; chunks that were not reported sent are not sent. Not a refusal: nobody broke a rule. */
public final class LinkFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** What ended the link, also the metric label. */
    public enum Kind {
        /** The peer never connected within the deadline, or a connected peer is gone. */
        NOT_CONNECTED,
        /** The peer stayed connected and took nothing for the whole offer deadline. */
        BACK_PRESSURE,
        /** The publication has used up its positions; a new link epoch has fresh ones. */
        MAX_POSITION,
        /** The publication was closed under us. */
        PUBLICATION_CLOSED,
        /** The message does not fit the link; a configuration error of the plan. The link lives on. */
        MESSAGE_TOO_LONG,
        /** The driver refused the channel. */
        REGISTRATION,
        /** The media driver is gone or stalled (driver timeout, conductor timeout). */
        DRIVER_LOST,
        /** This data plane or this link was closed by its owner. */
        CLOSED,
        /** The transfer was cancelled before the chunk left. The link lives on. */
        CANCELLED,
        /** The chunk was sent on this link before, so its credit can't be taken again. The link lives on. */
        REPEATED_CHUNK,
        /** The chunk's fence names other epochs than the link: a restarted worker needs a new link. The link lives on. */
        WRONG_LINK,
        /** The source blocks could not be read. The link lives on. */
        SOURCE_UNREADABLE,
        /** Anything thrown that has no name above; see the cause. */
        UNEXPECTED;

        /** Whether every later chunk of the link would fail too. */
        public boolean endsLink() {
            return this != CANCELLED
                    && this != REPEATED_CHUNK
                    && this != WRONG_LINK
                    && this != MESSAGE_TOO_LONG
                    && this != SOURCE_UNREADABLE;
        }
    }

    private final Kind kind;

    public LinkFailure(Kind kind, String message) {
        super(kind + ": " + message);
        this.kind = kind;
    }

    public LinkFailure(Kind kind, String message, Throwable cause) {
        super(kind + ": " + message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
