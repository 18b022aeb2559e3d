package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;

/**
 * The whole chunk was handed to the transport, which holds its own copy: the source blocks are no longer read for it. Says
 * nothing about arrival (§0x06A).
 *
 * @param crc CRC-32C over the payload as read from the source blocks; goes into the seal
 * @param wireBytes header and payload, without Aeron's frame headers
 * @param atNanos {@code System.nanoTime()} of the source
 */
public record SentChunk(TransferId transferId, int chunkIndex, int crc, long wireBytes, long atNanos) {}
