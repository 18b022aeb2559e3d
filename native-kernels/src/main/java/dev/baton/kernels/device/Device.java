package dev.baton.kernels.device;

import dev.baton.kernels.ffi.Bt;
import dev.baton.kernels.ffi.KernelException;
import dev.baton.kernels.ffi.Structs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A processor (or accelerator) that computes, with its worker threads and a default queue. Safe for use by several threads. */
public final class Device implements AutoCloseable {
    private final NativeHandle handle;
    private final Queue queue;
    private final String numericsIdentity;
    private final int threads;

    private Device(long native_) {
        this.handle = new NativeHandle("device", native_, Bt::deviceClose);
        this.queue = newQueue();
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment info = Structs.allocate(frame, Structs.DEVICE_INFO);
            Bt.deviceDescribe(native_, info);
            this.numericsIdentity = info.getString(Structs.offset(Structs.DEVICE_INFO, "identity"));
            this.threads = Structs.getInt(info, Structs.DEVICE_INFO, "threads");
        }
    }

    /** @throws KernelException when the backend or instruction set is not to be had here */
    public static Device open(DeviceConfig config) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment struct = Structs.allocate(frame, Structs.DEVICE_CONFIG);
            Structs.setInt(
                    struct, Structs.DEVICE_CONFIG, "backend", config.backend().ordinal());
            Structs.setInt(struct, Structs.DEVICE_CONFIG, "isa", config.isa().ordinal());
            Structs.setInt(struct, Structs.DEVICE_CONFIG, "threads", config.threads());
            Structs.setInt(struct, Structs.DEVICE_CONFIG, "pin", config.pin() ? 1 : 0);
            return new Device(Bt.deviceOpen(struct));
        }
    }

    /**
     * What decides the bits of a result on this device: backend, instruction set, kernel version. Thread count and batch do not.
     * The formats of weights and K/V are the model's and the arena's to add.
     */
    public String numericsIdentity() {
        return numericsIdentity;
    }

    public int threads() {
        return threads;
    }

    /**
     * What this machine does at most, measured now with this device's threads: what a benchmark compares its figures with. Takes
     * about a second.
     *
     * @return bytes or operations per second
     * @throws KernelException on the reference backend
     */
    public double measure(Limit limit) {
        return Bt.deviceLimit(handle.get(), limit.ordinal());
    }

    /** Order is that of the ABI. */
    public enum Limit {
        /** Bytes read from memory, not from caches. */
        READ_BYTES,
        /** Operations of int8 dot products in registers; a multiply-add is two. */
        INT8_OPERATIONS
    }

    /** The queue of those who need no second one. */
    public Queue queue() {
        return queue;
    }

    public Queue newQueue() {
        return new Queue(Bt.queueCreate(handle.get()));
    }

    public Event newEvent() {
        return new Event(Bt.eventCreate(handle.get()));
    }

    /** For the packages that own native objects. */
    public long handle() {
        return handle.get();
    }

    /**
     * Closes the default queue, then the device.
     *
     * @throws KernelException while a model, arena, queue or event of this device is open: close them and call again; nothing
     *     else may be done with the device in between
     */
    @Override
    public void close() {
        queue.close();
        handle.close();
    }
}
