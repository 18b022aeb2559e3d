package dev.baton.transfer.credit;

/** Why a ledger call changed nothing; each is a metric label. */
public enum CreditRefusal {
    /** Not a violation: the window is full now, ask again after a release. */
    WINDOW_FULL,
    /** The chunk already holds its credit. */
    ALREADY_ACQUIRED,
    /** The chunk's credit was already returned: a second return would invent bytes. */
    ALREADY_RELEASED,
    /** The chunk never acquired. */
    NOT_ACQUIRED
}
