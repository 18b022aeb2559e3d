package dev.baton.scheduler.worker;

/** Why a worker does not begin a leg. Each is counted by the worker; the request entity decides what follows. */
public enum LegRefusal {
    /** Addressed to another incarnation. */
    STALE_EPOCH,
    /** The worker's role changed since the route was made. */
    STALE_ROLE,
    /** The role does not do this phase. */
    WRONG_ROLE,
    /** Another model is loaded. */
    WRONG_MODEL,
    /** The manifest's model identity is not this worker's. */
    MODEL_IDENTITY_MISMATCH,
    /** The manifest's tensor ABI is not this worker's. */
    TENSOR_ABI_MISMATCH,
    /** The manifest names a transfer that its own identity does not derive. */
    MANIFEST_INCONSISTENT,
    /** The manifest's chunks do not fit the source's credit window or link. */
    CHUNK_TOO_LARGE,
    /** The prompt is not the one that the manifest names. */
    PROMPT_DIGEST_MISMATCH,
    /** No blocks for the whole trajectory now. */
    NO_KV_CAPACITY,
    /** More than the arena can ever hold. */
    NEVER_FITS,
    /** Too many legs already. */
    QUEUE_FULL,
    /** The worker drains. */
    DRAINING,
    /** A newer generation or attempt of this request is already here. */
    SUPERSEDED
}
