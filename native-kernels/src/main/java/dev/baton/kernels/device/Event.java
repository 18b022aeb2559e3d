package dev.baton.kernels.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.baton.kernels.ffi.Bt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Complete when everything queued before its last {@link #record} is; complete when new. Reusable. */
public final class Event implements AutoCloseable {
    private final NativeHandle handle;
    private final MemorySegment complete = Arena.ofAuto().allocate(JAVA_INT);

    Event(long native_) {
        this.handle = new NativeHandle("event", native_, Bt::eventClose);
    }

    public void record(Queue queue) {
        Bt.eventRecord(handle.get(), queue.handle());
    }

    public synchronized boolean isComplete() {
        Bt.eventQuery(handle.get(), complete);
        return complete.get(JAVA_INT, 0) != 0;
    }

    /** Blocks the calling thread until complete. */
    public void await() {
        Bt.eventWait(handle.get());
    }

    public long handle() {
        return handle.get();
    }

    @Override
    public void close() {
        handle.close();
    }
}
