package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;

/**
 * What happens to the chunks of one expected transfer. Called on the agent thread, which carries every transfer of the process:
 * hand over and return, never block, never throw.
 */
public interface ChunkListener {

    /**
     * The whole payload lies in the reserved blocks and its checksum holds. Bytes are in host memory; DEVICE_VISIBLE is the
     * destination's to declare (§0x06A).
     *
     * @param crc CRC-32C computed over the written destination bytes
     */
    void received(TransferId transfer, int chunkIndex, long payloadBytes, int crc);

    /**
     * A chunk that was already received came again. Nothing was rewritten.
     *
     * @param crc CRC-32C of the bytes that came this time
     * @param sameBytes whether they equal the first ones; false is corruption, not a retry
     */
    void duplicate(TransferId transfer, int chunkIndex, int crc, boolean sameBytes);

    /** A message that names this transfer was refused; the chunk counts as not received. */
    void refused(TransferId transfer, int chunkIndex, LinkRefusal reason);
}
