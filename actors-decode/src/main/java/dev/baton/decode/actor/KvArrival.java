package dev.baton.decode.actor;

/**
 * What brings a leg's K/V into its blocks: a transfer, or a prompt computed here. Until {@link DecodeLeg#kvVisible} it owns the
 * blocks and frees them when abandoned; from then on the leg does.
 */
sealed interface KvArrival permits IncomingKv, LocalPrompt {
    /** @return false when it cannot begin; nothing is held then */
    boolean begin();

    /** The leg does not want the K/V any more. */
    void abandon(String cause);

    void ticked(long nowNanos);

    /** Nobody brings anything into the blocks any more. */
    boolean isOver();

    /** By when the K/V is there, or the leg fails. */
    long deadlineNanos();
}
