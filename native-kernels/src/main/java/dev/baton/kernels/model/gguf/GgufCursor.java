package dev.baton.kernels.model.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads forward through a mapped file. Every read is bounded by the bytes left; nothing is allocated before its length is known to be there. */
final class GgufCursor {

    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final String TRUNCATED = "The file is truncated or damaged: download or convert it again.";

    private final Path file;
    private final MemorySegment bytes;
    private long position;

    GgufCursor(Path file, MemorySegment bytes, long position) {
        this.file = file;
        this.bytes = bytes;
        this.position = position;
    }

    long position() {
        return position;
    }

    long remaining() {
        return bytes.byteSize() - position;
    }

    int u8(String field) {
        need(field, 1);
        return bytes.get(ValueLayout.JAVA_BYTE, position++) & 0xff;
    }

    int i32(String field) {
        need(field, 4);
        int value = bytes.get(INT, position);
        position += 4;
        return value;
    }

    long i64(String field) {
        need(field, 8);
        long value = bytes.get(LONG, position);
        position += 8;
        return value;
    }

    /** An unsigned count of things that take at least {@code minimumBytes} each, so that it cannot exceed what is left. */
    long count(String field, long minimumBytes, long limit) {
        long count = i64(field);
        long most = Math.min(limit, remaining() / minimumBytes);
        if (count < 0 || count > most) {
            throw refuse(
                    field,
                    "a count of " + Long.toUnsignedString(count),
                    "at most " + most + " (" + remaining() + " bytes are left)",
                    TRUNCATED);
        }
        return count;
    }

    /** Passes a length-prefixed string of at most {@code limit} bytes without reading it. */
    long skipString(String field, long limit) {
        long length = count(field + " (string length)", 1, limit);
        position += length;
        return length;
    }

    String string(String field, long limit) {
        long length = count(field + " (string length)", 1, Math.min(limit, Integer.MAX_VALUE - 16));
        MemorySegment text = bytes.asSlice(position, length);
        position += length;
        return utf8(file, field, text.asByteBuffer());
    }

    void skip(String field, long byteCount) {
        need(field, byteCount);
        position += byteCount;
    }

    static String utf8(Path file, String field, ByteBuffer text) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
        } catch (CharacterCodingException e) {
            throw new ModelFileException(
                    file, field, "bytes that are not UTF-8", "UTF-8 text", "The file is damaged: convert it again.", e);
        }
    }

    ModelFileException refuse(String field, String found, String expected, String cure) {
        return new ModelFileException(file, field, found, expected, cure);
    }

    private void need(String field, long byteCount) {
        if (byteCount < 0 || byteCount > remaining()) {
            throw refuse(
                    field,
                    remaining() + " bytes left at offset " + position,
                    Long.toUnsignedString(byteCount) + " bytes",
                    TRUNCATED);
        }
    }
}
