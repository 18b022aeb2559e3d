package dev.baton.kernels.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The single operations of {@code baton.h}, by which tests compare one backend with another. Not for serving. */
public final class BtOps {
    private static final Library LIBRARY = Library.INSTANCE;
    private static final MethodHandle OP_EMBEDDING = LIBRARY.function(
            "bt_op_embedding", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS);
    private static final MethodHandle OP_RMSNORM =
            LIBRARY.function("bt_op_rmsnorm", JAVA_LONG, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_FLOAT, ADDRESS);
    private static final MethodHandle OP_MATMUL = LIBRARY.function(
            "bt_op_matmul", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS);
    private static final MethodHandle OP_ROPE = LIBRARY.function(
            "bt_op_rope", JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_FLOAT, JAVA_INT);
    private static final MethodHandle OP_SWIGLU =
            LIBRARY.function("bt_op_swiglu", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
    private static final MethodHandle OP_ATTENTION =
            LIBRARY.function("bt_op_attention", JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS);

    /** {@code bt_op_embedding}. */
    public static void opEmbedding(
            long device,
            int type,
            MemorySegment table,
            long rows,
            long cols,
            MemorySegment tokens,
            int count,
            MemorySegment out) {
        try {
            Bt.check((int) OP_EMBEDDING.invokeExact(device, type, table, rows, cols, tokens, count, out));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** {@code bt_op_rmsnorm}. */
    public static void opRmsnorm(
            long device, MemorySegment x, MemorySegment weight, int rows, int d, float epsilon, MemorySegment out) {
        try {
            Bt.check((int) OP_RMSNORM.invokeExact(device, x, weight, rows, d, epsilon, out));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** {@code bt_op_matmul}. */
    public static void opMatmul(
            long device, int type, MemorySegment weight, long n, long k, MemorySegment x, int m, MemorySegment out) {
        try {
            Bt.check((int) OP_MATMUL.invokeExact(device, type, weight, n, k, x, m, out));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** {@code bt_op_rope}. */
    public static void opRope(
            long device,
            MemorySegment x,
            int rows,
            int heads,
            int headDim,
            MemorySegment positions,
            float theta,
            int style) {
        try {
            Bt.check((int) OP_ROPE.invokeExact(device, x, rows, heads, headDim, positions, theta, style));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** {@code bt_op_swiglu}. */
    public static void opSwiglu(long device, MemorySegment gate, MemorySegment up, long count, MemorySegment out) {
        try {
            Bt.check((int) OP_SWIGLU.invokeExact(device, gate, up, count, out));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** {@code bt_op_attention}. */
    public static void opAttention(
            long arena, int layer, MemorySegment batch, MemorySegment q, int heads, MemorySegment out) {
        try {
            Bt.check((int) OP_ATTENTION.invokeExact(arena, layer, batch, q, heads, out));
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    private BtOps() {}
}
