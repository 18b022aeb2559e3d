package dev.baton.contract.identity;

/** The seven parts of a fence, in the order in which they are compared. */
public enum FenceField {
    TENANT,
    REQUEST,
    GENERATION,
    ATTEMPT,
    SOURCE_EPOCH,
    DESTINATION_EPOCH,
    RESERVATION
}
