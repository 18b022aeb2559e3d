package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.TensorType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Map;

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
    private final long dataStart;

    GgufFile(
            Path path,
            Arena arena,
            MemorySegment bytes,
            GgufMetadata metadata,
            Map<String, TensorInfo> tensors,
            long dataStart) {
        this.dataStart = dataStart;
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
            return parse(path, bytes, arena);
        } catch (IOException e) {
            arena.close();
            throw new ModelFileException(
                    path, "file", e.toString(), "a readable file", "Check the path and its permissions.", e);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** Checks bytes that are in memory already; the file owns the arena they live in from here on. */
    static GgufFile parse(Path path, MemorySegment bytes, Arena arena) {
        return new GgufParser(path, bytes).parse(arena);
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

    /** Where tensor data begins, in bytes from the start of the file. */
    long dataStart() {
        return dataStart;
    }

    /** The bytes of a tensor of this file: a read-only view of the mapping. */
    public MemorySegment data(TensorInfo tensor) {
        return bytes.asSlice(tensor.offset(), tensor.byteSize());
    }

    @Override
    public void close() {
        arena.close();
    }
}
