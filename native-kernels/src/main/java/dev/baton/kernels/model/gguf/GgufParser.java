package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.model.gguf.GgufFile.TensorInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One pass over the header of a file, checking each field as it comes. */
final class GgufParser {

    private static final String RECONVERT =
            "Convert the model again to GGUF version 3 with a current convert_hf_to_gguf.py.";

    private final Path path;
    private final MemorySegment bytes;
    private final GgufCursor cursor;

    GgufParser(Path path, MemorySegment bytes) {
        this.path = path;
        this.bytes = bytes;
        this.cursor = new GgufCursor(path, bytes, 0);
    }

    GgufFile parse(Arena arena) {
        magicAndVersion();
        long tensorCount = cursor.count("header.tensor_count", 24, GgufFile.MAX_ENTRIES);
        long entryCount = cursor.count("header.metadata_kv_count", 13, GgufFile.MAX_ENTRIES);
        GgufMetadata metadata = new GgufMetadata(path, bytes, entries(entryCount));
        long alignment = alignment(metadata);
        List<RawTensor> raw = rawTensors(tensorCount);
        long dataStart = Math.addExact(cursor.position(), alignment - 1) / alignment * alignment;
        Map<String, TensorInfo> tensors = place(raw, dataStart, alignment);
        refuseOverlaps(tensors.values());
        return new GgufFile(path, arena, bytes, metadata, tensors, dataStart);
    }

    private void magicAndVersion() {
        int magic = cursor.i32("header.magic");
        if (magic != GgufFile.MAGIC) {
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
            String key = cursor.string("metadata[" + i + "].key", GgufFile.MAX_KEY_BYTES);
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
            case STRING -> cursor.skipString(key, GgufFile.MAX_STRING_BYTES);
            case ARRAY -> {
                GgufValueType elementType = valueType(key + " (element type)");
                long count =
                        cursor.count(key + " (array length)", elementType.minimumBytes(), GgufFile.MAX_ARRAY_ELEMENTS);
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
        if (depth > GgufFile.MAX_ARRAY_DEPTH) {
            throw cursor.refuse(
                    key, "arrays nested deeper", "at most " + GgufFile.MAX_ARRAY_DEPTH + " levels", RECONVERT);
        }
        for (long i = 0; i < count; i++) {
            if (type == GgufValueType.STRING) {
                cursor.skipString(key, GgufFile.MAX_STRING_BYTES);
            } else {
                GgufValueType inner = valueType(key + " (element type)");
                long innerCount =
                        cursor.count(key + " (array length)", inner.minimumBytes(), GgufFile.MAX_ARRAY_ELEMENTS);
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
        long alignment = metadata.integer("general.alignment").orElse(GgufFile.DEFAULT_ALIGNMENT);
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
        String name = cursor.string("tensor[" + index + "].name", GgufFile.MAX_NAME_BYTES);
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
