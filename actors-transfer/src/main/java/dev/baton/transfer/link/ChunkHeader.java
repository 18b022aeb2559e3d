package dev.baton.transfer.link;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The header in front of every chunk payload, version 1, little-endian, 152 bytes:
 *
 * <pre>
 *   0  i32  magic "BTNC"            72  i64  reservation
 *   4  u16  version                 80  i64  link epoch
 *   6  u16  header bytes            88  i32  chunk index
 *   8  i64  transfer id, high       92  i32  chunk count of the plan
 *  16  i64  transfer id, low        96  i32  layer
 *  24  i64  tenant digest          100  i32  token start
 *  32  i64  request digest         104  i32  token count
 *  40  i64  generation             108  i32  first block
 *  48  i64  attempt                112  i32  block count
 *  56  i64  source epoch           116  i32  payload CRC-32C
 *  64  i64  destination epoch      120  i64  payload bytes
 * 128  i32  flags, zero            132  i32  header CRC-32C over bytes 0 to 131
 * 136  16 bytes  keyed tag over bytes 0 to 135, zero while links have no key
 * </pre>
 *
 * Digests are the first eight bytes of the SHA-256 of the name. The header CRC finds accidents, the tag will find intent.
 */
public final class ChunkHeader {
    public static final int MAGIC = 0x434e5442;
    public static final short VERSION = 1;
    public static final int HEADER_BYTES = 152;
    public static final int TAG_BYTES = 16;

    static final int MAGIC_AT = 0;
    static final int VERSION_AT = 4;
    static final int HEADER_BYTES_AT = 6;
    static final int TRANSFER_HIGH_AT = 8;
    static final int TRANSFER_LOW_AT = 16;
    static final int TENANT_AT = 24;
    static final int REQUEST_AT = 32;
    static final int GENERATION_AT = 40;
    static final int ATTEMPT_AT = 48;
    static final int SOURCE_EPOCH_AT = 56;
    static final int DESTINATION_EPOCH_AT = 64;
    static final int RESERVATION_AT = 72;
    static final int LINK_EPOCH_AT = 80;
    static final int CHUNK_INDEX_AT = 88;
    static final int CHUNK_COUNT_AT = 92;
    static final int LAYER_AT = 96;
    static final int TOKEN_START_AT = 100;
    static final int TOKEN_COUNT_AT = 104;
    static final int FIRST_BLOCK_AT = 108;
    static final int BLOCK_COUNT_AT = 112;
    static final int PAYLOAD_CRC_AT = 116;
    static final int PAYLOAD_BYTES_AT = 120;
    static final int FLAGS_AT = 128;
    static final int HEADER_CRC_AT = 132;
    static final int TAG_AT = 136;

    private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;

    private ChunkHeader() {}

    /** Writes the 152 bytes at {@code at}, with an empty tag. */
    static void encode(
            MutableDirectBuffer buffer,
            int at,
            TransferId transfer,
            FenceWords fence,
            long linkEpoch,
            ChunkSpec chunk,
            int chunkCount,
            int payloadCrc) {
        buffer.putInt(at + MAGIC_AT, MAGIC, LE);
        buffer.putShort(at + VERSION_AT, VERSION, LE);
        buffer.putShort(at + HEADER_BYTES_AT, (short) HEADER_BYTES, LE);
        buffer.putLong(at + TRANSFER_HIGH_AT, transfer.high(), LE);
        buffer.putLong(at + TRANSFER_LOW_AT, transfer.low(), LE);
        buffer.putLong(at + TENANT_AT, fence.tenant(), LE);
        buffer.putLong(at + REQUEST_AT, fence.request(), LE);
        buffer.putLong(at + GENERATION_AT, fence.generation(), LE);
        buffer.putLong(at + ATTEMPT_AT, fence.attempt(), LE);
        buffer.putLong(at + SOURCE_EPOCH_AT, fence.sourceEpoch(), LE);
        buffer.putLong(at + DESTINATION_EPOCH_AT, fence.destinationEpoch(), LE);
        buffer.putLong(at + RESERVATION_AT, fence.reservation(), LE);
        buffer.putLong(at + LINK_EPOCH_AT, linkEpoch, LE);
        buffer.putInt(at + CHUNK_INDEX_AT, chunk.index(), LE);
        buffer.putInt(at + CHUNK_COUNT_AT, chunkCount, LE);
        buffer.putInt(at + LAYER_AT, chunk.layer(), LE);
        buffer.putInt(at + TOKEN_START_AT, chunk.tokens().start(), LE);
        buffer.putInt(at + TOKEN_COUNT_AT, chunk.tokens().count(), LE);
        buffer.putInt(at + FIRST_BLOCK_AT, chunk.firstBlock(), LE);
        buffer.putInt(at + BLOCK_COUNT_AT, chunk.blockCount(), LE);
        buffer.putInt(at + PAYLOAD_CRC_AT, payloadCrc, LE);
        buffer.putLong(at + PAYLOAD_BYTES_AT, chunk.payloadBytes(), LE);
        buffer.putInt(at + FLAGS_AT, 0, LE);
        buffer.setMemory(at + TAG_AT, TAG_BYTES, (byte) 0);
        sealCrc(buffer, at);
    }

    /** Recomputes the header CRC after a field was written. */
    static void sealCrc(MutableDirectBuffer buffer, int at) {
        buffer.putInt(at + HEADER_CRC_AT, computeCrc(buffer, at, new byte[HEADER_CRC_AT]), LE);
    }

    static int computeCrc(DirectBuffer buffer, int at, byte[] scratch) {
        buffer.getBytes(at, scratch, 0, HEADER_CRC_AT);
        CRC32C crc = new CRC32C();
        crc.update(scratch, 0, HEADER_CRC_AT);
        return (int) crc.getValue();
    }

    static int intAt(DirectBuffer buffer, int at) {
        return buffer.getInt(at, LE);
    }

    static long longAt(DirectBuffer buffer, int at) {
        return buffer.getLong(at, LE);
    }

    static short shortAt(DirectBuffer buffer, int at) {
        return buffer.getShort(at, LE);
    }

    /** A fence in the fixed-size words of the header; computed once per transfer. */
    record FenceWords(
            long tenant,
            long request,
            long generation,
            long attempt,
            long sourceEpoch,
            long destinationEpoch,
            long reservation) {

        static FenceWords of(Fence fence) {
            return new FenceWords(
                    digest(fence.tenant().value()),
                    digest(fence.request().value()),
                    fence.generation().value(),
                    fence.attempt().value(),
                    fence.sourceEpoch().value(),
                    fence.destinationEpoch().value(),
                    fence.reservation().value());
        }

        private static long digest(String name) {
            return ByteBuffer.wrap(
                            Digest.sha256(name.getBytes(StandardCharsets.UTF_8)).bytes())
                    .getLong();
        }
    }
}
