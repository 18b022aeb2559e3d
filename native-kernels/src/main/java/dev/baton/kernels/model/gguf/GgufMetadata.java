package dev.baton.kernels.model.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The key/value part of a file. Only keys are kept; a value is decoded from the mapping when asked for, so the getters of
 * large arrays allocate each time. A value of another type than asked for is a {@link ModelFileException} naming the key.
 */
public final class GgufMetadata {

    private static final String RECONVERT = "Convert the model again with a current converter.";

    /** Where a value lies: for arrays, {@code offset} is that of the first element. */
    record Entry(GgufValueType type, GgufValueType elementType, long count, long offset, long endOffset) {}

    private final Path file;
    private final MemorySegment bytes;
    private final SortedMap<String, Entry> entries;

    GgufMetadata(Path file, MemorySegment bytes, SortedMap<String, Entry> entries) {
        this.file = file;
        this.bytes = bytes;
        this.entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** The file the values come from, for messages. */
    public Path file() {
        return file;
    }

    /** All keys, sorted. */
    public Set<String> keys() {
        return entries.keySet();
    }

    public boolean has(String key) {
        return entries.containsKey(key);
    }

    public Optional<String> string(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        expect(key, entry, entry.type == GgufValueType.STRING, "a string");
        return Optional.of(new GgufCursor(file, bytes, entry.offset).string(key, Integer.MAX_VALUE));
    }

    public Optional<Boolean> bool(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        expect(key, entry, entry.type == GgufValueType.BOOL, "a bool");
        return Optional.of(bytes.get(ValueLayout.JAVA_BYTE, entry.offset) != 0);
    }

    /** Any integer type; an unsigned 64-bit value above the signed range is refused. */
    public OptionalLong integer(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return OptionalLong.empty();
        }
        expect(key, entry, isInteger(entry.type), "an integer");
        long value = integerAt(entry.type, entry.offset);
        if (entry.type == GgufValueType.UINT64 && value < 0) {
            throw new ModelFileException(file, key, Long.toUnsignedString(value), "at most 2^63 - 1", RECONVERT);
        }
        return OptionalLong.of(value);
    }

    /** FLOAT32 or FLOAT64. */
    public OptionalDouble real(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return OptionalDouble.empty();
        }
        expect(key, entry, entry.type == GgufValueType.FLOAT32 || entry.type == GgufValueType.FLOAT64, "a float");
        return OptionalDouble.of(
                entry.type == GgufValueType.FLOAT32
                        ? bytes.get(GgufCursor.FLOAT, entry.offset)
                        : bytes.get(GgufCursor.DOUBLE, entry.offset));
    }

    /** How many elements an array of any type has. */
    public OptionalLong arrayLength(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return OptionalLong.empty();
        }
        expect(key, entry, isArray(entry), "an array");
        return OptionalLong.of(entry.count);
    }

    /** An array of strings. */
    public Optional<List<String>> strings(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        expect(key, entry, isArray(entry) && entry.elementType == GgufValueType.STRING, "an array of strings");
        List<String> values = new ArrayList<>((int) entry.count);
        GgufCursor cursor = new GgufCursor(file, bytes, entry.offset);
        for (long i = 0; i < entry.count; i++) {
            values.add(cursor.string(key + "[" + i + "]", Integer.MAX_VALUE));
        }
        return Optional.of(values);
    }

    /** An array of FLOAT32. */
    public Optional<float[]> floats(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        expect(key, entry, entry.elementType == GgufValueType.FLOAT32 && isArray(entry), "an array of float32");
        return Optional.of(
                bytes.asSlice(entry.offset, entry.count * Float.BYTES).toArray(GgufCursor.FLOAT));
    }

    /** An array of 32-bit integers. */
    public Optional<int[]> integers(String key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        boolean fits = entry.elementType == GgufValueType.INT32 || entry.elementType == GgufValueType.UINT32;
        expect(key, entry, fits && isArray(entry), "an array of 32-bit integers");
        return Optional.of(
                bytes.asSlice(entry.offset, entry.count * Integer.BYTES).toArray(GgufCursor.INT));
    }

    /** The type and value of a key exactly as in the file, for digests and copies; type code first, 4 bytes little endian. */
    MemorySegment rawWithType(String key) {
        Entry entry = require(key);
        long valueStart =
                entry.type == GgufValueType.ARRAY ? entry.offset - GgufValueType.ARRAY.minimumBytes() : entry.offset;
        return bytes.asSlice(valueStart - Integer.BYTES, entry.endOffset - valueStart + Integer.BYTES);
    }

    private Entry require(String key) {
        @Nullable Entry entry = entries.get(key);
        if (entry == null) {
            throw new ModelFileException(file, key, "nothing", "a value", RECONVERT);
        }
        return entry;
    }

    private void expect(String key, Entry entry, boolean holds, String expected) {
        if (!holds) {
            String found =
                    isArray(entry) ? "an array of " + entry.count + " " + entry.elementType : entry.type.toString();
            throw new ModelFileException(file, key, found, expected, RECONVERT);
        }
    }

    private static boolean isArray(Entry entry) {
        return entry.type == GgufValueType.ARRAY;
    }

    private static boolean isInteger(GgufValueType type) {
        return switch (type) {
            case UINT8, INT8, UINT16, INT16, UINT32, INT32, UINT64, INT64 -> true;
            case FLOAT32, FLOAT64, BOOL, STRING, ARRAY -> false;
        };
    }

    private long integerAt(GgufValueType type, long offset) {
        return switch (type) {
            case UINT8 -> bytes.get(ValueLayout.JAVA_BYTE, offset) & 0xffL;
            case INT8 -> bytes.get(ValueLayout.JAVA_BYTE, offset);
            case UINT16 -> bytes.get(GgufCursor.SHORT, offset) & 0xffffL;
            case INT16 -> bytes.get(GgufCursor.SHORT, offset);
            case UINT32 -> bytes.get(GgufCursor.INT, offset) & 0xffff_ffffL;
            case INT32 -> bytes.get(GgufCursor.INT, offset);
            case UINT64, INT64 -> bytes.get(GgufCursor.LONG, offset);
            case FLOAT32, FLOAT64, BOOL, STRING, ARRAY -> throw new IllegalArgumentException("not an integer: " + type);
        };
    }
}
