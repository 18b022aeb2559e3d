package dev.baton.contract.manifest;

/** The parts of a {@link TransferKey}, in the order in which they are compared. */
public enum KeyField {
    REQUEST,
    PROMPT_DIGEST,
    MODEL,
    ADAPTER,
    POSITION_POLICY,
    CACHE_SCHEMA,
    SOURCE_PARTITION,
    DESTINATION_PARTITION,
    TOKEN_START,
    TOKEN_COUNT,
    GENERATION
}
