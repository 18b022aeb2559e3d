package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.gguf.GgufFile.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * SHA-256 digests that say whether two workers hold the same model. They do not depend on the order or the alignment of
 * tensors in the file, so a repacked copy keeps its identity.
 *
 * @param checkpointDigest over everything that decides the computation: shape, and each tensor's name, type, extent and bytes
 * @param tokenizerDigest over the {@code tokenizer.ggml.*} metadata; not the chat template, whose effect the prompt ids carry
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below
public record ModelIdentity(byte[] checkpointDigest, byte[] tokenizerDigest) {

    private static final int CHUNK_BYTES = 1 << 20;
    private static final String TOKENIZER_PREFIX = "tokenizer.ggml.";

    /** Told after each chunk. */
    @FunctionalInterface
    public interface Progress {
        Progress NONE = (doneBytes, totalBytes) -> {};

        void hashed(long doneBytes, long totalBytes);
    }

    public ModelIdentity {
        checkpointDigest = checkpointDigest.clone();
        tokenizerDigest = tokenizerDigest.clone();
    }

    /** Reads every weight once, through the mapping. */
    public static ModelIdentity of(GgufModel model, Progress progress) {
        return new ModelIdentity(checkpoint(model, progress), tokenizer(model.metadata()));
    }

    /** The digest of a tokenizer alone; cheap. */
    public static byte[] tokenizer(GgufMetadata metadata) {
        MessageDigest digest = sha256();
        for (String key : metadata.keys()) {
            if (key.startsWith(TOKENIZER_PREFIX)) {
                text(digest, key);
                data(digest, metadata.rawWithType(key));
            }
        }
        return digest.digest();
    }

    @Override
    public byte[] checkpointDigest() {
        return checkpointDigest.clone();
    }

    @Override
    public byte[] tokenizerDigest() {
        return tokenizerDigest.clone();
    }

    /** 64 lower-case hexadecimal digits. */
    public String checkpointHex() {
        return HexFormat.of().formatHex(checkpointDigest);
    }

    /** 64 lower-case hexadecimal digits. */
    public String tokenizerHex() {
        return HexFormat.of().formatHex(tokenizerDigest);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ModelIdentity that
                && MessageDigest.isEqual(checkpointDigest, that.checkpointDigest)
                && MessageDigest.isEqual(tokenizerDigest, that.tokenizerDigest);
    }

    @Override
    public int hashCode() {
        return ByteBuffer.wrap(checkpointDigest).getInt();
    }

    @Override
    public String toString() {
        return "checkpoint=" + checkpointHex() + " tokenizer=" + tokenizerHex();
    }

    private static byte[] checkpoint(GgufModel model, Progress progress) {
        MessageDigest digest = sha256();
        shape(digest, model.config());
        List<TensorInfo> tensors = model.file().tensors().values().stream()
                .sorted(Comparator.comparing(TensorInfo::name))
                .toList();
        long totalBytes = model.weightBytes();
        long doneBytes = 0;
        for (TensorInfo tensor : tensors) {
            text(digest, tensor.name());
            text(digest, tensor.type().name());
            longs(digest, tensor.rows(), tensor.cols(), tensor.byteSize());
            MemorySegment bytes = model.file().data(tensor);
            for (long at = 0; at < bytes.byteSize(); at += CHUNK_BYTES) {
                long length = Math.min(CHUNK_BYTES, bytes.byteSize() - at);
                digest.update(bytes.asSlice(at, length).asByteBuffer());
                doneBytes += length;
                progress.hashed(doneBytes, totalBytes);
            }
        }
        return digest.digest();
    }

    /** What the same weights need to give the same activations; the trained context length is not part of it. */
    private static void shape(MessageDigest digest, LlamaConfig config) {
        longs(digest, config.layers(), config.heads(), config.kvHeads(), config.headDim());
        longs(digest, Float.floatToIntBits(config.ropeTheta()), Float.floatToIntBits(config.rmsEpsilon()));
        text(digest, config.ropeStyle().name());
    }

    private static void text(MessageDigest digest, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        longs(digest, utf8.length);
        digest.update(utf8);
    }

    private static void data(MessageDigest digest, MemorySegment bytes) {
        longs(digest, bytes.byteSize());
        digest.update(bytes.asByteBuffer());
    }

    private static void longs(MessageDigest digest, long... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            buffer.putLong(value);
        }
        digest.update(buffer.array());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
