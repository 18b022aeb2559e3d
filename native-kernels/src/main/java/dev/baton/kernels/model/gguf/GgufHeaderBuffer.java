package dev.baton.kernels.model.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Collects metadata, then tensor infos, and puts the counts in front. */
final class GgufHeaderBuffer {

    private static final int VERSION = 3;

    private final ByteArrayOutputStream metadata = new ByteArrayOutputStream();
    private final ByteArrayOutputStream tensors = new ByteArrayOutputStream();
    private long entryCount;
    private long tensorCount;

    void string(String key, String value) {
        begin(key, GgufValueType.STRING);
        text(metadata, value);
    }

    void uint32(String key, int value) {
        begin(key, GgufValueType.UINT32);
        i32(metadata, value);
    }

    void float32(String key, float value) {
        begin(key, GgufValueType.FLOAT32);
        i32(metadata, Float.floatToRawIntBits(value));
    }

    void bool(String key, boolean value) {
        begin(key, GgufValueType.BOOL);
        metadata.write(value ? 1 : 0);
    }

    void strings(String key, List<String> values) {
        array(key, GgufValueType.STRING, values.size());
        values.forEach(value -> text(metadata, value));
    }

    void floats(String key, float[] values) {
        array(key, GgufValueType.FLOAT32, values.length);
        for (float value : values) {
            i32(metadata, Float.floatToRawIntBits(value));
        }
    }

    void integers(String key, int[] values) {
        array(key, GgufValueType.INT32, values.length);
        for (int value : values) {
            i32(metadata, value);
        }
    }

    void tensor(String name, int dimensions, long cols, long rows, int typeCode, long offset) {
        tensorCount++;
        text(tensors, name);
        i32(tensors, dimensions);
        i64(tensors, cols);
        if (dimensions > 1) {
            i64(tensors, rows);
        }
        i32(tensors, typeCode);
        i64(tensors, offset);
    }

    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        i32(all, GgufFile.MAGIC);
        i32(all, VERSION);
        i64(all, tensorCount);
        i64(all, entryCount);
        all.writeBytes(metadata.toByteArray());
        all.writeBytes(tensors.toByteArray());
        return all.toByteArray();
    }

    private void begin(String key, GgufValueType type) {
        entryCount++;
        text(metadata, key);
        i32(metadata, type.code());
    }

    private void array(String key, GgufValueType elementType, int count) {
        begin(key, GgufValueType.ARRAY);
        i32(metadata, elementType.code());
        i64(metadata, count);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        i64(out, utf8.length);
        out.writeBytes(utf8);
    }

    private static void i32(ByteArrayOutputStream out, int value) {
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }

    private static void i64(ByteArrayOutputStream out, long value) {
        out.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }
}
