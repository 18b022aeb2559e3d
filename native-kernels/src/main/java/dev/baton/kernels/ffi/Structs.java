package dev.baton.kernels.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.util.List;

/** The structs of the ABI, field for field. {@link #ALL} is in the order of {@code bt_struct_bytes}. */
public final class Structs {
    public static final StructLayout DEVICE_CONFIG = MemoryLayout.structLayout(
                    i32("struct_bytes"), i32("backend"), i32("isa"), i32("threads"), i32("pin"), i32("reserved"))
            .withName("bt_device_config");

    public static final StructLayout DEVICE_INFO = MemoryLayout.structLayout(
                    i32("struct_bytes"),
                    i32("backend"),
                    i32("isa"),
                    i32("threads"),
                    MemoryLayout.sequenceLayout(64, JAVA_BYTE).withName("identity"))
            .withName("bt_device_info");

    public static final StructLayout MODEL_CONFIG = MemoryLayout.structLayout(
                    i32("struct_bytes"),
                    i32("layers"),
                    i32("d_model"),
                    i32("ffn_dim"),
                    i32("heads"),
                    i32("kv_heads"),
                    i32("head_dim"),
                    i32("vocabulary"),
                    i32("context_tokens"),
                    i32("rope_style"),
                    JAVA_FLOAT.withName("rope_theta"),
                    JAVA_FLOAT.withName("rms_epsilon"),
                    i32("tied_output"),
                    i32("reserved"))
            .withName("bt_model_config");

    public static final StructLayout ARENA_CONFIG = MemoryLayout.structLayout(
                    i32("struct_bytes"),
                    i32("layers"),
                    i32("blocks"),
                    i32("kv_heads"),
                    i32("block_tokens"),
                    i32("head_dim"),
                    i32("kv_type"),
                    i32("reserved"))
            .withName("bt_arena_config");

    public static final StructLayout ARENA_INFO = MemoryLayout.structLayout(
                    i32("struct_bytes"),
                    i32("memory_kind"),
                    JAVA_LONG.withName("address"),
                    JAVA_LONG.withName("bytes"),
                    JAVA_LONG.withName("layer_block_bytes"))
            .withName("bt_arena_info");

    public static final StructLayout BATCH = MemoryLayout.structLayout(
                    i32("struct_bytes"),
                    i32("rows"),
                    i32("sequences"),
                    i32("block_entries"),
                    ADDRESS.withName("tokens"),
                    ADDRESS.withName("positions"),
                    ADDRESS.withName("row_sequence"),
                    ADDRESS.withName("table_offset"),
                    ADDRESS.withName("table_count"),
                    ADDRESS.withName("block_table"))
            .withName("bt_batch");

    public static final List<StructLayout> ALL =
            List.of(DEVICE_CONFIG, DEVICE_INFO, MODEL_CONFIG, ARENA_CONFIG, ARENA_INFO, BATCH);

    private Structs() {}

    /** A zeroed struct whose {@code struct_bytes} is set. */
    public static MemorySegment allocate(SegmentAllocator allocator, StructLayout layout) {
        MemorySegment struct = allocator.allocate(layout);
        struct.fill((byte) 0);
        setInt(struct, layout, "struct_bytes", Math.toIntExact(layout.byteSize()));
        return struct;
    }

    /** Not for hot paths: looks the field up by name. */
    public static void setInt(MemorySegment struct, StructLayout layout, String field, int value) {
        struct.set(JAVA_INT, offset(layout, field), value);
    }

    public static void setFloat(MemorySegment struct, StructLayout layout, String field, float value) {
        struct.set(JAVA_FLOAT, offset(layout, field), value);
    }

    public static int getInt(MemorySegment struct, StructLayout layout, String field) {
        return struct.get(JAVA_INT, offset(layout, field));
    }

    public static long getLong(MemorySegment struct, StructLayout layout, String field) {
        return struct.get(JAVA_LONG, offset(layout, field));
    }

    public static long offset(StructLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }

    private static MemoryLayout i32(String name) {
        return JAVA_INT.withName(name);
    }
}
