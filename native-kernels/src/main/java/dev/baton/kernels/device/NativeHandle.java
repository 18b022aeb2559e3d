package dev.baton.kernels.device;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Owns one native object: gives its handle while open, closes it once. */
public final class NativeHandle {
    private final String what;
    private final AtomicLong handle;
    private final LongConsumer closer;

    public NativeHandle(String what, long handle, LongConsumer closer) {
        this.what = what;
        this.handle = new AtomicLong(handle);
        this.closer = closer;
    }

    /** @throws IllegalStateException after {@link #close} */
    public long get() {
        long open = handle.get();
        if (open == 0) {
            throw new IllegalStateException(what + " is closed");
        }
        return open;
    }

    /** Idempotent. Stays open when the native side refuses because children are open. */
    public synchronized void close() {
        long open = handle.get();
        if (open != 0) {
            closer.accept(open);
            handle.set(0);
        }
    }
}
