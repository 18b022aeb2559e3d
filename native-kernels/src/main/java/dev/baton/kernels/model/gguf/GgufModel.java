package dev.baton.kernels.model.gguf;

import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import dev.baton.kernels.model.TensorType;
import dev.baton.kernels.model.gguf.GgufFile.TensorInfo;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Llama-architecture model in an open GGUF file. Every tensor the shape calls for is there with exactly that shape, and
 * there is none that Baton would ignore. Tensors are views of the mapping: {@link #close()} invalidates them.
 */
public final class GgufModel implements ModelSource, AutoCloseable {

    private static final String RECONVERT = "Convert the model again with a current convert_hf_to_gguf.py.";
    private static final String ROPE_FREQUENCIES = "rope_freqs.weight";

    private final GgufFile file;
    private final LlamaConfig config;
    private final Map<TensorRole, Tensor[]> tensors;

    private GgufModel(GgufFile file) {
        this.file = file;
        TensorInfo embedding = require(LlamaTensors.name(TensorRole.TOKEN_EMBEDDING, 0));
        if (embedding.rows() > GgufFile.MAX_ARRAY_ELEMENTS) {
            throw refuse(
                    embedding.name(),
                    embedding.rows() + " rows",
                    "a vocabulary of at most " + GgufFile.MAX_ARRAY_ELEMENTS,
                    RECONVERT);
        }
        boolean tied = !file.tensors().containsKey(LlamaTensors.name(TensorRole.OUTPUT, 0));
        this.config = new LlamaMetadata(file.metadata()).config((int) embedding.rows(), tied);
        this.tensors = collect();
        refuseUnusedTensors();
    }

    /**
     * Opens a model.
     *
     * @throws ModelFileException where the file is malformed, or the model is none that Baton computes exactly
     */
    public static GgufModel open(Path path) {
        return of(GgufFile.open(path));
    }

    /** Takes over an open file, and closes it where it holds no usable model. */
    static GgufModel of(GgufFile file) {
        try {
            return new GgufModel(file);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    @Override
    public LlamaConfig config() {
        return config;
    }

    @Override
    public Tensor tensor(TensorRole role, int layer) {
        if (layer < 0 || layer >= (role.perLayer() ? config.layers() : 1)) {
            throw new IndexOutOfBoundsException(role + " has no layer " + layer + "; the model has " + config.layers());
        }
        @Nullable Tensor[] ofRole = tensors.get(role);
        if (ofRole == null) {
            throw new IllegalStateException("no tensors for " + role);
        }
        return ofRole[layer];
    }

    public GgufMetadata metadata() {
        return file.metadata();
    }

    public Path path() {
        return file.path();
    }

    /** The model's name in its metadata, else the file's name without extension. */
    public String name() {
        return file.metadata()
                .string("general.name")
                .filter(name -> !name.isBlank())
                .orElseGet(() -> String.valueOf(file.path().getFileName()).replaceFirst("\\.gguf$", ""));
    }

    /** Bytes of all tensors the model uses, each counted once. */
    public long weightBytes() {
        return file.tensors().values().stream().mapToLong(TensorInfo::byteSize).sum();
    }

    GgufFile file() {
        return file;
    }

    @Override
    public void close() {
        file.close();
    }

    private Map<TensorRole, Tensor[]> collect() {
        Map<TensorRole, Tensor[]> collected = new EnumMap<>(TensorRole.class);
        for (TensorRole role : TensorRole.values()) {
            TensorRole stored = role == TensorRole.OUTPUT && config.tiedOutput() ? TensorRole.TOKEN_EMBEDDING : role;
            Tensor[] ofRole = new Tensor[role.perLayer() ? config.layers() : 1];
            for (int layer = 0; layer < ofRole.length; layer++) {
                ofRole[layer] = checked(stored, layer);
            }
            collected.put(role, ofRole);
        }
        return collected;
    }

    private Tensor checked(TensorRole role, int layer) {
        TensorInfo info = require(LlamaTensors.name(role, layer));
        long rows = LlamaTensors.rows(role, config);
        long cols = LlamaTensors.cols(role, config);
        if (info.rows() != rows || info.cols() != cols || info.dimensions() > 2) {
            throw refuse(
                    info.name(),
                    "[" + info.rows() + "][" + info.cols() + "] in " + info.dimensions() + " dimensions",
                    "[" + rows + "][" + cols + "] by the model's metadata",
                    RECONVERT);
        }
        boolean quantized = info.type().blockElements() > 1;
        if (LlamaTensors.isVector(role) && quantized) {
            throw refuse(info.name(), info.type().toString(), "F32, F16 or BF16 for a norm", RECONVERT);
        }
        return new Tensor(info.name(), info.type(), rows, cols, file.data(info));
    }

    private TensorInfo require(String name) {
        @Nullable TensorInfo info = file.tensors().get(name);
        if (info == null) {
            throw refuse(
                    name, "no such tensor", "one", "The file is incomplete or of another architecture. " + RECONVERT);
        }
        return info;
    }

    private void refuseUnusedTensors() {
        Set<String> used = new HashSet<>();
        for (Tensor[] ofRole : tensors.values()) {
            for (Tensor tensor : ofRole) {
                used.add(tensor.name());
            }
        }
        for (TensorInfo info : file.tensors().values()) {
            if (info.name().equals(ROPE_FREQUENCIES)) {
                refuseScaledFrequencies(info);
            } else if (!used.contains(info.name())) {
                throw refuse(
                        info.name(),
                        "a tensor that Baton would ignore",
                        "only those of a plain Llama model",
                        "Answers would differ from the model's own: use a model without it.");
            }
        }
    }

    /** Factors of exactly 1 change nothing; converters write them for models without frequency scaling. */
    private void refuseScaledFrequencies(TensorInfo info) {
        MemorySegment data = file.data(info);
        boolean trivial = info.type() == TensorType.F32;
        for (long at = 0; trivial && at < data.byteSize(); at += Float.BYTES) {
            trivial = data.get(GgufCursor.FLOAT, at) == 1f;
        }
        if (!trivial) {
            throw refuse(
                    info.name(),
                    "frequency factors other than 1",
                    "none, or all 1",
                    "Baton has no scaled rotary frequencies (Llama 3.1 and later use them): use another model.");
        }
    }

    private ModelFileException refuse(String field, String found, String expected, String cure) {
        return new ModelFileException(file.path(), field, found, expected, cure);
    }
}
