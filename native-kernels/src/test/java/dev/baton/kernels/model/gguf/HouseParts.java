package dev.baton.kernels.model.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The embedded model taken apart, so that tests can put it together wrongly. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HouseParts(List<Entry> entries, byte[] tensorInfos, int tensorCount, byte[] data) {

    /** A metadata entry, its value as in the file. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(String key, byte[] typeAndValue) {

        static Entry of(String key, GgufValueType type, String value) {
            ByteBuffer buffer = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
            buffer.putInt(type.code());
            switch (type) {
                case UINT32, INT32 -> buffer.putInt(Integer.parseInt(value));
                case FLOAT32 -> buffer.putFloat(Float.parseFloat(value));
                case STRING -> {
                    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
                    buffer.putLong(utf8.length).put(utf8);
                }
                case UINT8, INT8, UINT16, INT16, BOOL, ARRAY, UINT64, INT64, FLOAT64 ->
                    throw new IllegalArgumentException("not needed yet: " + type);
            }
            byte[] bytes = new byte[buffer.position()];
            buffer.flip().get(bytes);
            return new Entry(key, bytes);
        }
    }

    static HouseParts read() throws IOException {
        byte[] all = Files.readAllBytes(EmbeddedModel.file());
        try (GgufFile file = GgufFile.open(EmbeddedModel.file())) {
            List<Entry> entries = new ArrayList<>();
            long metadataBytes = 24;
            for (String key : file.metadata().keys()) {
                byte[] raw = file.metadata().rawWithType(key).toArray(ValueLayout.JAVA_BYTE);
                entries.add(new Entry(key, raw));
                metadataBytes += 8 + key.length() + raw.length;
            }
            int dataStart = (int) file.dataStart();
            byte[] infos = Arrays.copyOfRange(all, (int) metadataBytes, dataStart);
            byte[] data = Arrays.copyOfRange(all, dataStart, all.length);
            return new HouseParts(
                    entries,
                    withoutPadding(infos, file.tensors().size()),
                    file.tensors().size(),
                    data);
        }
    }

    private static byte[] withoutPadding(byte[] infos, int tensorCount) {
        ByteBuffer buffer = ByteBuffer.wrap(infos).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < tensorCount; i++) {
            buffer.position(buffer.position() + (int) buffer.getLong(buffer.position()) + 8);
            int dimensions = buffer.getInt();
            buffer.position(buffer.position() + 8 * dimensions + 12);
        }
        return Arrays.copyOf(infos, buffer.position());
    }

    byte[] with(List<Entry> newEntries) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer head = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(GgufFile.MAGIC).putInt(3).putLong(tensorCount).putLong(newEntries.size());
        out.writeBytes(head.array());
        for (Entry entry : newEntries) {
            byte[] key = entry.key.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(key.length)
                    .array());
            out.writeBytes(key);
            out.writeBytes(entry.typeAndValue);
        }
        out.writeBytes(tensorInfos);
        while (out.size() % GgufFile.DEFAULT_ALIGNMENT != 0) {
            out.write(0);
        }
        out.writeBytes(data);
        return out.toByteArray();
    }
}
