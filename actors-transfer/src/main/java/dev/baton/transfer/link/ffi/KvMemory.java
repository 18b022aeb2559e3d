package dev.baton.transfer.link.ffi;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** The four things the link does with K/V bytes: bounds are checked by the segment, so a wrong offset throws and never writes. */
public final class KvMemory {
    /** Every address of the process; a term buffer is named by its address in it. */
    private static final MemorySegment ADDRESS_SPACE = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private KvMemory() {}

    /** Copies {@code lengthBytes} from a mapped term buffer to {@code region} at {@code offsetBytes}: the one copy at the receiver. */
    public static void copyIn(long sourceAddress, KvRegion region, long offsetBytes, long lengthBytes) {
        MemorySegment.copy(ADDRESS_SPACE, sourceAddress, region.memory(), offsetBytes, lengthBytes);
    }

    /** Continues {@code crc} over {@code lengthBytes} of {@code region}. */
    public static void updateCrc(CRC32C crc, KvRegion region, long offsetBytes, long lengthBytes) {
        crc.update(region.memory().asSlice(offsetBytes, lengthBytes).asByteBuffer());
    }

    /** Continues {@code crc} over a mapped term buffer, for payloads that are checked but not written. */
    public static void updateCrc(CRC32C crc, long address, long lengthBytes) {
        crc.update(ADDRESS_SPACE.asSlice(address, lengthBytes).asByteBuffer());
    }

    /** Address of {@code lengthBytes} at {@code offsetBytes}, after the bounds check. */
    public static long address(KvRegion region, long offsetBytes, long lengthBytes) {
        return region.memory().asSlice(offsetBytes, lengthBytes).address();
    }
}
