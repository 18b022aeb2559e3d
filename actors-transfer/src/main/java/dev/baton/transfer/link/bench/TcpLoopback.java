package dev.baton.transfer.link.bench;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The peer to compare with: one connection, native buffers, no header, no checksum. */
final class TcpLoopback implements AutoCloseable {
    private static final int STEP_BYTES = 4 << 20;

    private final SocketChannel sending;
    private final SocketChannel receiving;

    TcpLoopback() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            sending = SocketChannel.open(server.getLocalAddress());
            receiving = server.accept();
        }
    }

    /** Copies {@code from} to {@code to} through the connection; nanoseconds until the last byte is there. */
    long runNanos(MemorySegment from, MemorySegment to) {
        long startNanos = System.nanoTime();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(
                () -> receive(to),
                task -> Thread.ofPlatform().name("tcp-loopback").daemon().start(task));
        try {
            for (long at = 0; at < from.byteSize(); at += STEP_BYTES) {
                ByteBuffer step = step(from, at);
                while (step.hasRemaining()) {
                    sending.write(step);
                }
            }
        } catch (IOException e) {
            throw new CompletionException(e);
        }
        reader.join();
        return System.nanoTime() - startNanos;
    }

    private void receive(MemorySegment to) {
        try {
            for (long at = 0; at < to.byteSize(); at += STEP_BYTES) {
                ByteBuffer step = step(to, at);
                while (step.hasRemaining()) {
                    if (receiving.read(step) < 0) {
                        throw new EOFException("the loopback connection ended at byte " + at);
                    }
                }
            }
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static ByteBuffer step(MemorySegment memory, long at) {
        return memory.asSlice(at, Math.min(STEP_BYTES, memory.byteSize() - at)).asByteBuffer();
    }

    @Override
    public void close() throws IOException {
        sending.close();
        receiving.close();
    }
}
