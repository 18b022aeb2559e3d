package dev.baton.kernels.device;

import dev.baton.kernels.ffi.Bt;

/** Work in order. One thread at a time. */
public final class Queue implements AutoCloseable {
    private final NativeHandle handle;

    Queue(long native_) {
        this.handle = new NativeHandle("queue", native_, Bt::queueClose);
    }

    /** Blocks until everything queued is done. */
    public void sync() {
        Bt.queueSync(handle.get());
    }

    /** Later work on this queue starts after the event; does not block the caller. */
    public void waitFor(Event event) {
        Bt.queueWaitEvent(handle.get(), event.handle());
    }

    public long handle() {
        return handle.get();
    }

    @Override
    public void close() {
        handle.close();
    }
}
