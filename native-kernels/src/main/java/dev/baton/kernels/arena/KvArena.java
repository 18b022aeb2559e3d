package dev.baton.kernels.arena;

import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.NativeHandle;
import dev.baton.kernels.ffi.Bt;
import dev.baton.kernels.ffi.KernelException;
import dev.baton.kernels.ffi.Structs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** The K/V memory of a worker. Blocks are independent: different threads may use different blocks at the same time. */
public final class KvArena implements AutoCloseable {
    private final Device device;
    private final ArenaShape shape;
    private final NativeHandle handle;
    private final Arena lifetime = Arena.ofShared();
    private final MemorySegment segment;

    private KvArena(Device device, ArenaShape shape, long native_) {
        this.device = device;
        this.shape = shape;
        this.handle = new NativeHandle("arena", native_, Bt::arenaClose);
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment info = Structs.allocate(frame, Structs.ARENA_INFO);
            Bt.arenaDescribe(native_, info);
            long bytes = Structs.getLong(info, Structs.ARENA_INFO, "bytes");
            long layerBlockBytes = Structs.getLong(info, Structs.ARENA_INFO, "layer_block_bytes");
            if (bytes != shape.totalBytes() || layerBlockBytes != shape.layerBlockBytes()) {
                throw new IllegalStateException("native arena has " + bytes + " bytes, expected " + shape.totalBytes());
            }
            this.segment = MemorySegment.ofAddress(Structs.getLong(info, Structs.ARENA_INFO, "address"))
                    .reinterpret(bytes, lifetime, null);
        }
    }

    /** Maps the memory; pages are touched on first use. */
    public static KvArena create(Device device, ArenaShape shape) {
        try (Arena frame = Arena.ofConfined()) {
            StructLayout layout = Structs.ARENA_CONFIG;
            MemorySegment struct = Structs.allocate(frame, layout);
            Structs.setInt(struct, layout, "layers", shape.layers());
            Structs.setInt(struct, layout, "blocks", shape.blocks());
            Structs.setInt(struct, layout, "kv_heads", shape.kvHeads());
            Structs.setInt(struct, layout, "block_tokens", shape.blockTokens());
            Structs.setInt(struct, layout, "head_dim", shape.headDim());
            Structs.setInt(struct, layout, "kv_type", shape.type().ordinal());
            return new KvArena(device, shape, Bt.arenaCreate(device.handle(), struct));
        }
    }

    public Device device() {
        return device;
    }

    public ArenaShape shape() {
        return shape;
    }

    /** The whole arena; any access after {@link #close} throws. */
    public MemorySegment segment() {
        return segment;
    }

    /** Address of layer 0, block 0, page-aligned. */
    public long address() {
        return segment.address();
    }

    /** K and V of one block in one layer, in bytes. */
    public long layerBlockBytes() {
        return shape.layerBlockBytes();
    }

    /** Offset in {@link #segment()} of K of a layer's block. */
    public long offsetBytes(int layer, int block) {
        return shape.offsetBytes(layer, block);
    }

    /** Copies a block over another in every layer, on the device's default queue. */
    public void copyBlock(int from, int to) {
        Bt.arenaCopyBlock(handle.get(), device.queue().handle(), from, to);
    }

    /** Zeroes a block in every layer, on the device's default queue. */
    public void zeroBlock(int block) {
        Bt.arenaZeroBlock(handle.get(), device.queue().handle(), block);
    }

    public long handle() {
        return handle.get();
    }

    /** @throws KernelException while a forward pass over this arena is open */
    @Override
    public void close() {
        handle.close();
        if (lifetime.scope().isAlive()) {
            lifetime.close();
        }
    }
}
