package dev.baton.runtime.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** The two peers of a handoff on one host: copying the same bytes in memory, and sending them through TCP on loopback. */
final class ByteMovers {
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int RUNS = 7;
    /** Larger than the last-level cache, so that a copy meets memory. */
    private static final long POOL_BYTES = 256L << 20;

    private ByteMovers() {}

    /** Median nanoseconds to copy {@code bytes} between two regions that no cache holds. */
    static long memcpyNanos(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            long pool = Math.max(POOL_BYTES, bytes);
            MemorySegment from = arena.allocate(pool, 64);
            MemorySegment to = arena.allocate(pool, 64);
            from.fill((byte) 1);
            to.fill((byte) 2);
            long[] nanos = new long[RUNS];
            long slots = pool / bytes;
            for (int run = 0; run < RUNS; run++) {
                long offset = (run % slots) * bytes;
                long begin = System.nanoTime();
                MemorySegment.copy(from, offset, to, offset, bytes);
                nanos[run] = System.nanoTime() - begin;
            }
            return median(nanos);
        }
    }

    /** Median nanoseconds from the first write until the other end has read {@code bytes} and said so. */
    static long tcpNanos(long bytes) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            CompletableFuture<Void> reader = CompletableFuture.runAsync(
                    () -> acknowledgeEach(server, bytes),
                    command -> Thread.ofPlatform().start(command));
            long[] nanos = new long[RUNS];
            try (SocketChannel out = SocketChannel.open(server.getLocalAddress())) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
                ByteBuffer ack = ByteBuffer.allocate(1);
                for (int run = 0; run < RUNS; run++) {
                    long begin = System.nanoTime();
                    for (long left = bytes; left > 0; ) {
                        buffer.clear().limit((int) Math.min(left, BUFFER_BYTES));
                        while (buffer.hasRemaining()) {
                            left -= out.write(buffer);
                        }
                    }
                    ack.clear();
                    if (out.read(ack) != 1) {
                        throw new IOException("the reading end closed before it acknowledged");
                    }
                    nanos[run] = System.nanoTime() - begin;
                }
            }
            reader.join();
            return median(nanos);
        }
    }

    private static void acknowledgeEach(ServerSocketChannel server, long bytes) {
        try (SocketChannel in = server.accept()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
            for (int run = 0; run < RUNS; run++) {
                for (long left = bytes; left > 0; ) {
                    buffer.clear().limit((int) Math.min(left, BUFFER_BYTES));
                    int read = in.read(buffer);
                    if (read < 0) {
                        return;
                    }
                    left -= read;
                }
                in.write(ByteBuffer.wrap(new byte[] {1}));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
