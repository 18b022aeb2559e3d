package dev.baton.transfer.link;

/** Why a message of the stream was not accepted as a chunk; each is counted by name. In the order in which they are checked. */
public enum LinkRefusal {
    /** The image began, or continued after a loss, in the middle of a message. */
    MID_MESSAGE_JOIN,
    /** The first fragment is shorter than a header. */
    TRUNCATED_HEADER,
    MAGIC,
    VERSION,
    HEADER_BYTES,
    HEADER_CRC,
    /** Meant for another incarnation of this receiver. */
    LINK_EPOCH,
    /** No such transfer is expected here: never was, or was forgotten. */
    UNKNOWN_TRANSFER,
    TENANT,
    REQUEST,
    GENERATION,
    ATTEMPT,
    SOURCE_EPOCH,
    DESTINATION_EPOCH,
    RESERVATION,
    /** The two ends derived plans with different numbers of chunks. */
    CHUNK_COUNT,
    CHUNK_INDEX,
    LAYER,
    TOKEN_START,
    TOKEN_COUNT,
    FIRST_BLOCK,
    BLOCK_COUNT,
    PAYLOAD_BYTES,
    /** A bit is set that this version does not know. */
    FLAGS,
    TAG,
    /** The message ended before its payload did. */
    TRUNCATED_PAYLOAD,
    /** The message goes on after its payload; the rest is not written. */
    OVERSIZE_PAYLOAD,
    /** The bytes that arrived are not the bytes that were checksummed at the source. */
    PAYLOAD_CRC,
    /** The reserved blocks could not be written: their arena is gone. A bug of the owner, who must forget before it frees. */
    DESTINATION_UNWRITABLE,
    /** The same chunk began again, on this image or another, before this message ended. */
    SUPERSEDED,
    /** The image went away, or the transfer was forgotten, before the message ended. */
    INTERRUPTED
}
