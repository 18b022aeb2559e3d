package dev.baton.transfer.protocol;

/** Why a transfer ended without publication; the label of its counter. */
public enum AbortCause {
    CANCELLED,
    DEADLINE,
    PEER_LOST,
    PEER_ABORTED,
    /** The worker that held this end has a new epoch. */
    EPOCH_FENCED,
    RESERVATION_REFUSED,
    COPY_FAILED,
    /** One chunk with two contents, or bytes that differ from the seal. */
    CORRUPTION,
    /** Fence, key, ABI or coverage of the seal differ from the manifest. */
    VALIDATION_FAILED,
    STALE_GENERATION,
    PUBLICATION_REFUSED
}
