package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.RopeStyle;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a model as a GGUF version 3 file, asking the source for one tensor at a time, so the heap holds a header and a chunk
 * only. The file appears under its name when it is complete. A tensor's type is known when it is there, so the header is
 * written last, over the space it was found to take.
 */
public final class GgufWriter {

    private static final int CHUNK_BYTES = 4 << 20;

    /** Told after each tensor. */
    @FunctionalInterface
    public interface Progress {
        Progress NONE = (doneTensors, totalTensors) -> {};

        void written(int doneTensors, int totalTensors);
    }

    private record Slot(TensorRole role, int layer) {}

    /** What the header says of a tensor; type and offset are not known in the first pass. */
    private record Placed(TensorType type, long offset) {}

    private final String name;
    private final ModelSource source;
    private final TokenizerMetadata tokenizer;
    private final List<Slot> slots;

    private GgufWriter(String name, ModelSource source, TokenizerMetadata tokenizer) {
        this.name = name;
        this.source = source;
        this.tokenizer = tokenizer;
        this.slots = slots(source.config());
    }

    /**
     * @param target replaced if it exists
     * @param name the model's {@code general.name}
     * @throws IllegalArgumentException where the source pairs rotary halves (GGUF's llama interleaves), or the vocabulary
     *     is not the model's
     */
    public static void write(
            Path target, String name, ModelSource source, TokenizerMetadata tokenizer, Progress progress)
            throws IOException {
        LlamaConfig config = source.config();
        if (config.ropeStyle() != RopeStyle.INTERLEAVED) {
            throw new IllegalArgumentException("GGUF files of architecture llama hold q and k for interleaved RoPE");
        }
        if (tokenizer.tokens().size() != config.vocabulary()) {
            throw new IllegalArgumentException(
                    tokenizer.tokens().size() + " tokens for a model of " + config.vocabulary());
        }
        Path folder = target.toAbsolutePath().resolveSibling("");
        Files.createDirectories(folder);
        Path partial = Files.createTempFile(folder, "gguf", ".part");
        try {
            new GgufWriter(name, source, tokenizer).stream(partial, progress);
            Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private static List<Slot> slots(LlamaConfig config) {
        List<Slot> slots = new ArrayList<>();
        slots.add(new Slot(TensorRole.TOKEN_EMBEDDING, 0));
        for (int layer = 0; layer < config.layers(); layer++) {
            for (TensorRole role : TensorRole.values()) {
                if (role.perLayer()) {
                    slots.add(new Slot(role, layer));
                }
            }
        }
        slots.add(new Slot(TensorRole.OUTPUT_NORM, 0));
        if (!config.tiedOutput()) {
            slots.add(new Slot(TensorRole.OUTPUT, 0));
        }
        return slots;
    }

    private void stream(Path partial, Progress progress) throws IOException {
        int headerBytes = header(List.of()).length;
        long dataStart = aligned(headerBytes);
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.WRITE)) {
            List<Placed> placed = new ArrayList<>(slots.size());
            long offset = 0;
            for (Slot slot : slots) {
                Tensor tensor = source.tensor(slot.role, slot.layer);
                placed.add(new Placed(tensor.type(), offset));
                writeFully(channel, dataStart + offset, tensor.data());
                offset = aligned(offset + tensor.data().byteSize());
                progress.written(placed.size(), slots.size());
            }
            writeFully(channel, 0, MemorySegment.ofArray(header(placed)));
            pad(channel, dataStart + offset);
        }
    }

    /** Readers of other engines expect the last tensor to be padded too. */
    private static void pad(FileChannel channel, long size) throws IOException {
        if (channel.size() < size) {
            channel.write(ByteBuffer.allocate(1), size - 1);
        }
    }

    private static void writeFully(FileChannel channel, long at, MemorySegment bytes) throws IOException {
        long done = 0;
        while (done < bytes.byteSize()) {
            long length = Math.min(CHUNK_BYTES, bytes.byteSize() - done);
            ByteBuffer chunk = bytes.asSlice(done, length).asByteBuffer();
            while (chunk.hasRemaining()) {
                done += channel.write(chunk, at + done);
            }
        }
    }

    private static long aligned(long offset) {
        long alignment = GgufFile.DEFAULT_ALIGNMENT;
        return Math.addExact(offset, alignment - 1) / alignment * alignment;
    }

    /** The same length whether tensors are placed yet or not. */
    private byte[] header(List<Placed> placed) {
        GgufHeaderBuffer header = new GgufHeaderBuffer();
        describeModel(header);
        describeTokenizer(header);
        LlamaConfig config = source.config();
        for (int i = 0; i < slots.size(); i++) {
            Slot slot = slots.get(i);
            Placed place = i < placed.size() ? placed.get(i) : new Placed(TensorType.F32, 0);
            header.tensor(
                    LlamaTensors.name(slot.role, slot.layer),
                    LlamaTensors.isVector(slot.role) ? 1 : 2,
                    LlamaTensors.cols(slot.role, config),
                    LlamaTensors.rows(slot.role, config),
                    TensorTypes.code(place.type),
                    place.offset);
        }
        return header.bytes();
    }

    private void describeModel(GgufHeaderBuffer header) {
        LlamaConfig config = source.config();
        header.string("general.architecture", "llama");
        header.string("general.name", name);
        header.uint32("general.alignment", (int) GgufFile.DEFAULT_ALIGNMENT);
        header.uint32("general.quantization_version", 2);
        header.uint32("llama.context_length", config.contextTokens());
        header.uint32("llama.embedding_length", config.dModel());
        header.uint32("llama.block_count", config.layers());
        header.uint32("llama.feed_forward_length", config.ffnDim());
        header.uint32("llama.rope.dimension_count", config.headDim());
        header.uint32("llama.attention.head_count", config.heads());
        header.uint32("llama.attention.head_count_kv", config.kvHeads());
        header.uint32("llama.attention.key_length", config.headDim());
        header.uint32("llama.attention.value_length", config.headDim());
        header.float32("llama.attention.layer_norm_rms_epsilon", config.rmsEpsilon());
        header.float32("llama.rope.freq_base", config.ropeTheta());
        header.uint32("llama.vocab_size", config.vocabulary());
    }

    private void describeTokenizer(GgufHeaderBuffer header) {
        header.string("tokenizer.ggml.model", tokenizer.model());
        header.string("tokenizer.ggml.pre", tokenizer.pre());
        header.strings("tokenizer.ggml.tokens", tokenizer.tokens());
        if (tokenizer.scores().length > 0) {
            header.floats("tokenizer.ggml.scores", tokenizer.scores());
        }
        if (tokenizer.types().length > 0) {
            header.integers("tokenizer.ggml.token_type", tokenizer.types());
        }
        if (!tokenizer.merges().isEmpty()) {
            header.strings("tokenizer.ggml.merges", tokenizer.merges());
        }
        tokenizer.bos().ifPresent(id -> header.uint32("tokenizer.ggml.bos_token_id", id));
        tokenizer.unknown().ifPresent(id -> header.uint32("tokenizer.ggml.unknown_token_id", id));
        String[] ends = {"eos", "eot", "eom"};
        for (int i = 0; i < Math.min(ends.length, tokenizer.eos().size()); i++) {
            header.uint32(
                    "tokenizer.ggml." + ends[i] + "_token_id", tokenizer.eos().get(i));
        }
        tokenizer.addBos().ifPresent(add -> header.bool("tokenizer.ggml.add_bos_token", add));
        tokenizer.addSpacePrefix().ifPresent(add -> header.bool("tokenizer.ggml.add_space_prefix", add));
        tokenizer.chatTemplate().ifPresent(template -> header.string("tokenizer.chat_template", template));
    }
}
