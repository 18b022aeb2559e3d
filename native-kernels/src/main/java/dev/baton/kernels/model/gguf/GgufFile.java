package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.TensorType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A mapped GGUF file whose whole header has been checked: counts, lengths, types, and that every tensor lies inside the file,
 * aligned, and overlaps no other. Views stay valid until {@link #close()}. The file must not be truncated while it is open.
 */
public final class GgufFile implements AutoCloseable {

    /**
     * One tensor of the file.
     *
     * @param name as in the file
     * @param type element format
     * @param cols the contiguous dimension, in elements; a whole number of blocks
     * @param rows product of the other dimensions
     * @param dimensions how many dimensions the file declares, 1 to 4
     * @param offset from the start of the file, in bytes
     * @param byteSize {@code rows * type.rowBytes(cols)}
     */
    public record TensorInfo(
            String name, TensorType type, long cols, long rows, int dimensions, long offset, long byteSize) {}

    static final int MAGIC = 0x46554747;
    static final long DEFAULT_ALIGNMENT = 32;
    /** A file with more is no model anyone runs; the bound keeps a hostile one from filling the heap. */
    static final int MAX_ENTRIES = 65_536;

    static final int MAX_NAME_BYTES = 255;
    static final int MAX_KEY_BYTES = 65_535;
    /** Vocabulary arrays are the largest; 4 Mi elements is an order of magnitude above any known one. */
    static final int MAX_ARRAY_ELEMENTS = 4 << 20;

    static final int MAX_STRING_BYTES = 16 << 20;
    static final int MAX_ARRAY_DEPTH = 4;

    private final Path path;
    private final Arena arena;
    private final MemorySegment bytes;
    private final GgufMetadata metadata;
    private final Map<String, TensorInfo> tensors;

    private GgufFile(
            Path path, Arena arena, MemorySegment bytes, GgufMetadata metadata, Map<String, TensorInfo> tensors) {
        this.path = path;
        this.arena = arena;
        this.bytes = bytes;
        this.metadata = metadata;
        this.tensors = Collections.unmodifiableMap(tensors);
    }

    /**
     * Maps and checks a file.
     *
     * @throws ModelFileException where it is missing, unreadable, malformed, truncated or of an unsupported kind
     */
    @SuppressWarnings("MustBeClosedChecker") // the file returned owns the arena
    public static GgufFile open(Path path) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment bytes = map(path, arena);
            return new Parser(path, bytes).parse(arena);
        } catch (IOException e) {
            arena.close();
            throw new ModelFileException(
                    path, "file", e.toString(), "a readable file", "Check the path and its permissions.", e);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static MemorySegment map(Path path, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    public Path path() {
        return path;
    }

    public GgufMetadata metadata() {
        return metadata;
    }

    /** Tensors by name, in file order. */
    public Map<String, TensorInfo> tensors() {
        return tensors;
    }

    /** The bytes of a tensor of this file: a read-only view of the mapping. */
    public MemorySegment data(TensorInfo tensor) {
        return bytes.asSlice(tensor.offset(), tensor.byteSize());
    }

    @Override
    public void close() {
        arena.close();
    }

    /** One pass over the header. */
    private static final class Parser {

        private static final String RECONVERT =
                "Convert the model again to GGUF version 3 with a current convert_hf_to_gguf.py.";

        private final Path path;
        private final MemorySegment bytes;
        private final GgufCursor cursor;

        Parser(Path path, MemorySegment bytes) {
            this.path = path;
            this.bytes = bytes;
            this.cursor = new GgufCursor(path, bytes, 0);
        }

        GgufFile parse(Arena arena) {
            magicAndVersion();
            long tensorCount = cursor.count("header.tensor_count", 24, MAX_ENTRIES);
            long entryCount = cursor.count("header.metadata_kv_count", 13, MAX_ENTRIES);
            GgufMetadata metadata = new GgufMetadata(path, bytes, entries(entryCount));
            long alignment = alignment(metadata);
            List<RawTensor> raw = rawTensors(tensorCount);
            long dataStart = Math.addExact(cursor.position(), alignment - 1) / alignment * alignment;
            Map<String, TensorInfo> tensors = place(raw, dataStart, alignment);
            refuseOverlaps(tensors.values());
            return new GgufFile(path, arena, bytes, metadata, tensors);
        }

        private void magicAndVersion() {
            int magic = cursor.i32("header.magic");
            if (magic != MAGIC) {
                throw cursor.refuse(
                        "header.magic",
                        "0x%08x".formatted(magic),
                        "the letters GGUF",
                        "This is no GGUF file; convert the model to GGUF first.");
            }
            int version = cursor.i32("header.version");
            if (version == Integer.reverseBytes(2) || version == Integer.reverseBytes(3)) {
                throw cursor.refuse(
                        "header.version", "a big-endian file", "a little-endian file", "Convert it as little-endian.");
            }
            if (version != 2 && version != 3) {
                throw cursor.refuse(
                        "header.version", "version " + Integer.toUnsignedString(version), "version 2 or 3", RECONVERT);
            }
        }

        private SortedMap<String, GgufMetadata.Entry> entries(long count) {
            SortedMap<String, GgufMetadata.Entry> entries = new TreeMap<>();
            for (long i = 0; i < count; i++) {
                String key = cursor.string("metadata[" + i + "].key", MAX_KEY_BYTES);
                GgufValueType type = valueType(key);
                if (entries.put(key, entry(key, type)) != null) {
                    throw cursor.refuse(key, "the key twice", "each key once", RECONVERT);
                }
            }
            return entries;
        }

        private GgufMetadata.Entry entry(String key, GgufValueType type) {
            long start = cursor.position();
            switch (type) {
                case STRING -> cursor.skipString(key, MAX_STRING_BYTES);
                case ARRAY -> {
                    GgufValueType elementType = valueType(key + " (element type)");
                    long count = cursor.count(key + " (array length)", elementType.minimumBytes(), MAX_ARRAY_ELEMENTS);
                    long first = cursor.position();
                    skipElements(key, elementType, count, 1);
                    return new GgufMetadata.Entry(type, elementType, count, first, cursor.position());
                }
                case BOOL -> {
                    int value = cursor.u8(key);
                    if (value > 1) {
                        throw cursor.refuse(key, "the byte " + value, "a bool of 0 or 1", RECONVERT);
                    }
                }
                case UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, UINT64, INT64, FLOAT64 ->
                    cursor.skip(key, type.minimumBytes());
            }
            return new GgufMetadata.Entry(type, type, 1, start, cursor.position());
        }

        private void skipElements(String key, GgufValueType type, long count, int depth) {
            if (type.isScalar()) {
                cursor.skip(key, count * type.minimumBytes());
                return;
            }
            if (depth > MAX_ARRAY_DEPTH) {
                throw cursor.refuse(key, "arrays nested deeper", "at most " + MAX_ARRAY_DEPTH + " levels", RECONVERT);
            }
            for (long i = 0; i < count; i++) {
                if (type == GgufValueType.STRING) {
                    cursor.skipString(key, MAX_STRING_BYTES);
                } else {
                    GgufValueType inner = valueType(key + " (element type)");
                    long innerCount = cursor.count(key + " (array length)", inner.minimumBytes(), MAX_ARRAY_ELEMENTS);
                    skipElements(key, inner, innerCount, depth + 1);
                }
            }
        }

        private GgufValueType valueType(String field) {
            int code = cursor.i32(field + " (type)");
            @Nullable GgufValueType type = GgufValueType.of(code);
            if (type == null) {
                throw cursor.refuse(
                        field, "value type " + Integer.toUnsignedString(code), "a type from 0 to 12", RECONVERT);
            }
            return type;
        }

        private long alignment(GgufMetadata metadata) {
            long alignment = metadata.integer("general.alignment").orElse(DEFAULT_ALIGNMENT);
            if (alignment < 8 || alignment > 65_536 || Long.bitCount(alignment) != 1) {
                throw cursor.refuse("general.alignment", "" + alignment, "a power of two from 8 to 65536", RECONVERT);
            }
            return alignment;
        }

        private record RawTensor(String name, TensorType type, long cols, long rows, int dimensions, long offset) {}

        private List<RawTensor> rawTensors(long count) {
            List<RawTensor> tensors = new ArrayList<>((int) count);
            for (long i = 0; i < count; i++) {
                tensors.add(rawTensor(i));
            }
            return tensors;
        }

        private RawTensor rawTensor(long index) {
            String name = cursor.string("tensor[" + index + "].name", MAX_NAME_BYTES);
            int dimensions = cursor.i32(name + " (dimension count)");
            if (dimensions < 1 || dimensions > 4) {
                throw cursor.refuse(
                        name, Integer.toUnsignedString(dimensions) + " dimensions", "1 to 4 dimensions", RECONVERT);
            }
            long cols = 0;
            long rows = 1;
            for (int d = 0; d < dimensions; d++) {
                long size = cursor.i64(name + " (dimension " + d + ")");
                // No element takes less than half a byte, so a larger extent cannot be in the file.
                long most = Math.max(1, bytes.byteSize() * 2 / rows);
                if (size < 1 || size > most) {
                    throw cursor.refuse(
                            name + " (dimension " + d + ")",
                            Long.toUnsignedString(size),
                            "1 to " + most + " in a file of " + bytes.byteSize() + " bytes",
                            RECONVERT);
                }
                if (d == 0) {
                    cols = size;
                } else {
                    rows *= size;
                }
            }
            TensorType type = TensorTypes.require(path, name, cursor.i32(name + " (type)"));
            if (cols % type.blockElements() != 0) {
                throw cursor.refuse(
                        name,
                        "rows of " + cols + " elements in " + type,
                        "a multiple of " + type.blockElements() + " elements",
                        "Quantize the model again and keep this tensor in F16.");
            }
            return new RawTensor(name, type, cols, rows, dimensions, cursor.i64(name + " (offset)"));
        }

        private Map<String, TensorInfo> place(List<RawTensor> raw, long dataStart, long alignment) {
            long dataBytes = bytes.byteSize() - dataStart;
            Map<String, TensorInfo> tensors = new LinkedHashMap<>();
            for (RawTensor tensor : raw) {
                if (tensor.offset % alignment != 0) {
                    throw cursor.refuse(
                            tensor.name + " (offset)",
                            Long.toUnsignedString(tensor.offset),
                            "a multiple of the alignment " + alignment,
                            RECONVERT);
                }
                long rowBytes = tensor.type.rowBytes(tensor.cols);
                long mostRows = Math.max(0, dataBytes) / rowBytes;
                boolean inside = tensor.offset >= 0
                        && tensor.rows <= mostRows
                        && tensor.offset <= dataBytes - tensor.rows * rowBytes;
                if (!inside) {
                    throw cursor.refuse(
                            tensor.name,
                            tensor.rows + " rows of " + rowBytes + " bytes at data offset "
                                    + Long.toUnsignedString(tensor.offset),
                            "a place inside the " + Math.max(0, dataBytes) + " bytes of tensor data",
                            "The file is truncated or damaged: download or convert it again.");
                }
                TensorInfo info = new TensorInfo(
                        tensor.name,
                        tensor.type,
                        tensor.cols,
                        tensor.rows,
                        tensor.dimensions,
                        dataStart + tensor.offset,
                        tensor.rows * rowBytes);
                if (tensors.put(tensor.name, info) != null) {
                    throw cursor.refuse(tensor.name, "the tensor twice", "each tensor once", RECONVERT);
                }
            }
            return tensors;
        }

        private void refuseOverlaps(Iterable<TensorInfo> tensors) {
            List<TensorInfo> sorted = new ArrayList<>();
            tensors.forEach(sorted::add);
            sorted.sort(Comparator.comparingLong(TensorInfo::offset));
            for (int i = 1; i < sorted.size(); i++) {
                TensorInfo before = sorted.get(i - 1);
                TensorInfo after = sorted.get(i);
                if (before.offset() + before.byteSize() > after.offset()) {
                    throw cursor.refuse(
                            after.name(),
                            "a start at byte " + after.offset() + " inside tensor " + before.name(),
                            "tensors that do not overlap",
                            RECONVERT);
                }
            }
        }
    }
}
