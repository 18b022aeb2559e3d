package dev.baton.kernels.device;

import dev.baton.kernels.ffi.Bt;
import dev.baton.kernels.ffi.KernelException;
import dev.baton.kernels.ffi.Structs;
import dev.baton.kernels.model.LlamaConfig;
import dev.baton.kernels.model.ModelSource;
import dev.baton.kernels.model.Tensor;
import dev.baton.kernels.model.TensorRole;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.function.LongConsumer;

/** Weights on a device, packed into the backend's layout and read-only: any number of forward passes may share them. */
public final class Model implements AutoCloseable {
    private final Device device;
    private final LlamaConfig config;
    private final NativeHandle handle;

    private Model(Device device, LlamaConfig config, long native_) {
        this.device = device;
        this.config = config;
        this.handle = new NativeHandle("model", native_, Bt::modelClose);
    }

    public static Model upload(Device device, ModelSource source) {
        return upload(device, source, _ -> {});
    }

    /**
     * Copies every tensor of the source; it may be closed afterwards.
     *
     * @param progress told after each tensor how many source bytes are uploaded in all, on the calling thread
     * @throws KernelException when a tensor does not fit the configuration; nothing stays allocated
     */
    public static Model upload(Device device, ModelSource source, LongConsumer progress) {
        LlamaConfig config = source.config();
        Model model = create(device, config);
        try {
            long uploadedBytes = 0;
            for (TensorRole role : TensorRole.values()) {
                if (role == TensorRole.OUTPUT && config.tiedOutput()) {
                    continue;
                }
                for (int layer = 0; layer < (role.perLayer() ? config.layers() : 1); layer++) {
                    Tensor t = source.tensor(role, layer);
                    long bytes = t.data().byteSize();
                    Bt.modelTensor(
                            model.handle(),
                            role.ordinal(),
                            layer,
                            t.type().ordinal(),
                            t.rows(),
                            t.cols(),
                            t.data(),
                            bytes);
                    uploadedBytes += bytes;
                    progress.accept(uploadedBytes);
                }
            }
            Bt.modelSeal(model.handle());
            return model;
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    private static Model create(Device device, LlamaConfig c) {
        try (Arena frame = Arena.ofConfined()) {
            StructLayout layout = Structs.MODEL_CONFIG;
            MemorySegment struct = Structs.allocate(frame, layout);
            Structs.setInt(struct, layout, "layers", c.layers());
            Structs.setInt(struct, layout, "d_model", c.dModel());
            Structs.setInt(struct, layout, "ffn_dim", c.ffnDim());
            Structs.setInt(struct, layout, "heads", c.heads());
            Structs.setInt(struct, layout, "kv_heads", c.kvHeads());
            Structs.setInt(struct, layout, "head_dim", c.headDim());
            Structs.setInt(struct, layout, "vocabulary", c.vocabulary());
            Structs.setInt(struct, layout, "context_tokens", c.contextTokens());
            Structs.setInt(struct, layout, "rope_style", c.ropeStyle().ordinal());
            Structs.setFloat(struct, layout, "rope_theta", c.ropeTheta());
            Structs.setFloat(struct, layout, "rms_epsilon", c.rmsEpsilon());
            Structs.setInt(struct, layout, "tied_output", c.tiedOutput() ? 1 : 0);
            return new Model(device, c, Bt.modelCreate(device.handle(), struct));
        }
    }

    public Device device() {
        return device;
    }

    public LlamaConfig config() {
        return config;
    }

    /** Bytes the packed weights take. */
    public long packedBytes() {
        return Bt.modelBytes(handle.get());
    }

    public long handle() {
        return handle.get();
    }

    /** @throws KernelException while a forward pass of this model is open */
    @Override
    public void close() {
        handle.close();
    }
}
