package dev.baton.kernels.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of {@code baton.h} without their single operations, one method each (hence the length). Handles are not checked
 * for being open: the owners in {@code device}, {@code arena} and {@code forward} do.
 */
public final class Bt {
    public static final int ERR_ARGUMENT = -1;
    public static final int ERR_MEMORY = -2;
    public static final int ERR_UNSUPPORTED = -3;
    public static final int ERR_STATE = -4;
    public static final int ERR_INTERNAL = -5;

    private static final Library LIBRARY = Library.INSTANCE;
    private static final MethodHandle DEVICE_OPEN = LIBRARY.function("bt_device_open", ADDRESS, ADDRESS);
    private static final MethodHandle DEVICE_DESCRIBE = LIBRARY.function("bt_device_describe", JAVA_LONG, ADDRESS);
    private static final MethodHandle DEVICE_CLOSE = LIBRARY.function("bt_device_close", JAVA_LONG);
    private static final MethodHandle MEMORY_CREATE =
            LIBRARY.function("bt_memory_create", JAVA_LONG, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle MEMORY_ADDRESS = LIBRARY.function("bt_memory_address", JAVA_LONG, ADDRESS);
    private static final MethodHandle MEMORY_CLOSE = LIBRARY.function("bt_memory_close", JAVA_LONG);
    private static final MethodHandle MEMORY_COPY =
            LIBRARY.function("bt_memory_copy", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle QUEUE_CREATE = LIBRARY.function("bt_queue_create", JAVA_LONG, ADDRESS);
    private static final MethodHandle QUEUE_SYNC = LIBRARY.function("bt_queue_sync", JAVA_LONG);
    private static final MethodHandle QUEUE_CLOSE = LIBRARY.function("bt_queue_close", JAVA_LONG);
    private static final MethodHandle EVENT_CREATE = LIBRARY.function("bt_event_create", JAVA_LONG, ADDRESS);
    private static final MethodHandle EVENT_RECORD = LIBRARY.function("bt_event_record", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle EVENT_QUERY = LIBRARY.function("bt_event_query", JAVA_LONG, ADDRESS);
    private static final MethodHandle EVENT_WAIT = LIBRARY.function("bt_event_wait", JAVA_LONG);
    private static final MethodHandle QUEUE_WAIT_EVENT = LIBRARY.function("bt_queue_wait_event", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle EVENT_CLOSE = LIBRARY.function("bt_event_close", JAVA_LONG);
    private static final MethodHandle MODEL_CREATE = LIBRARY.function("bt_model_create", JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle MODEL_TENSOR = LIBRARY.function(
            "bt_model_tensor", JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle MODEL_SEAL = LIBRARY.function("bt_model_seal", JAVA_LONG);
    private static final MethodHandle DEVICE_LIMIT = LIBRARY.function("bt_device_limit", JAVA_LONG, JAVA_INT, ADDRESS);
    private static final MethodHandle MODEL_BYTES = LIBRARY.function("bt_model_bytes", JAVA_LONG, ADDRESS);
    private static final MethodHandle MODEL_CLOSE = LIBRARY.function("bt_model_close", JAVA_LONG);
    private static final MethodHandle ARENA_CREATE = LIBRARY.function("bt_arena_create", JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle ARENA_DESCRIBE = LIBRARY.function("bt_arena_describe", JAVA_LONG, ADDRESS);
    private static final MethodHandle ARENA_COPY_BLOCK =
            LIBRARY.function("bt_arena_copy_block", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle ARENA_ZERO_BLOCK =
            LIBRARY.function("bt_arena_zero_block", JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle ARENA_CLOSE = LIBRARY.function("bt_arena_close", JAVA_LONG);
    private static final MethodHandle FORWARD_CREATE =
            LIBRARY.function("bt_forward_create", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle FORWARD_BEGIN = LIBRARY.function("bt_forward_begin", JAVA_LONG, ADDRESS);
    private static final MethodHandle FORWARD_EMBED = LIBRARY.function("bt_forward_embed", JAVA_LONG);
    private static final MethodHandle FORWARD_LAYER = LIBRARY.function("bt_forward_layer", JAVA_LONG, JAVA_INT);
    private static final MethodHandle FORWARD_LOGITS =
            LIBRARY.function("bt_forward_logits", JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS);
    private static final MethodHandle FORWARD_CLOSE = LIBRARY.function("bt_forward_close", JAVA_LONG);

    /** {@code bt_device_open}: the out-parameter, a handle or a number. */
    public static long deviceOpen(MemorySegment config) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) DEVICE_OPEN.invokeExact(config, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_device_describe}. */
    public static void deviceDescribe(long device, MemorySegment info) {
        try {
            check((int) DEVICE_DESCRIBE.invokeExact(device, info));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_device_close}. */
    public static void deviceClose(long device) {
        try {
            check((int) DEVICE_CLOSE.invokeExact(device));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_memory_create}: the out-parameter, a handle or a number. */
    public static long memoryCreate(long device, int kind, long bytes) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) MEMORY_CREATE.invokeExact(device, kind, bytes, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_memory_address}: the out-parameter, a handle or a number. */
    public static long memoryAddress(long memory) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) MEMORY_ADDRESS.invokeExact(memory, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_memory_close}. */
    public static void memoryClose(long memory) {
        try {
            check((int) MEMORY_CLOSE.invokeExact(memory));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_memory_copy}. */
    public static void memoryCopy(long queue, long to, long toOffset, long from, long fromOffset, long bytes) {
        try {
            check((int) MEMORY_COPY.invokeExact(queue, to, toOffset, from, fromOffset, bytes));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_queue_create}: the out-parameter, a handle or a number. */
    public static long queueCreate(long device) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) QUEUE_CREATE.invokeExact(device, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_queue_sync}. */
    public static void queueSync(long queue) {
        try {
            check((int) QUEUE_SYNC.invokeExact(queue));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_queue_close}. */
    public static void queueClose(long queue) {
        try {
            check((int) QUEUE_CLOSE.invokeExact(queue));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_event_create}: the out-parameter, a handle or a number. */
    public static long eventCreate(long device) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) EVENT_CREATE.invokeExact(device, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_event_record}. */
    public static void eventRecord(long event, long queue) {
        try {
            check((int) EVENT_RECORD.invokeExact(event, queue));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_event_query}. */
    public static void eventQuery(long event, MemorySegment complete) {
        try {
            check((int) EVENT_QUERY.invokeExact(event, complete));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_event_wait}. */
    public static void eventWait(long event) {
        try {
            check((int) EVENT_WAIT.invokeExact(event));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_queue_wait_event}. */
    public static void queueWaitEvent(long queue, long event) {
        try {
            check((int) QUEUE_WAIT_EVENT.invokeExact(queue, event));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_event_close}. */
    public static void eventClose(long event) {
        try {
            check((int) EVENT_CLOSE.invokeExact(event));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_model_create}: the out-parameter, a handle or a number. */
    public static long modelCreate(long device, MemorySegment config) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) MODEL_CREATE.invokeExact(device, config, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_model_tensor}. */
    public static void modelTensor(
            long model, int role, int layer, int type, long rows, long cols, MemorySegment data, long bytes) {
        try {
            check((int) MODEL_TENSOR.invokeExact(model, role, layer, type, rows, cols, data, bytes));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_model_seal}. */
    public static void modelSeal(long model) {
        try {
            check((int) MODEL_SEAL.invokeExact(model));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_model_bytes}: the out-parameter, a handle or a number. */
    public static long modelBytes(long model) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) MODEL_BYTES.invokeExact(model, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_device_limit}: amount per second. */
    public static double deviceLimit(long device, int which) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_DOUBLE);
            check((int) DEVICE_LIMIT.invokeExact(device, which, result));
            return result.get(JAVA_DOUBLE, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_model_close}. */
    public static void modelClose(long model) {
        try {
            check((int) MODEL_CLOSE.invokeExact(model));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_arena_create}: the out-parameter, a handle or a number. */
    public static long arenaCreate(long device, MemorySegment config) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) ARENA_CREATE.invokeExact(device, config, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_arena_describe}. */
    public static void arenaDescribe(long arena, MemorySegment info) {
        try {
            check((int) ARENA_DESCRIBE.invokeExact(arena, info));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_arena_copy_block}. */
    public static void arenaCopyBlock(long arena, long queue, int from, int to) {
        try {
            check((int) ARENA_COPY_BLOCK.invokeExact(arena, queue, from, to));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_arena_zero_block}. */
    public static void arenaZeroBlock(long arena, long queue, int block) {
        try {
            check((int) ARENA_ZERO_BLOCK.invokeExact(arena, queue, block));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_arena_close}. */
    public static void arenaClose(long arena) {
        try {
            check((int) ARENA_CLOSE.invokeExact(arena));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_create}: the out-parameter, a handle or a number. */
    public static long forwardCreate(long model, long arena, long queue, int maxRows, int maxLogitRows) {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment result = frame.allocate(JAVA_LONG);
            check((int) FORWARD_CREATE.invokeExact(model, arena, queue, maxRows, maxLogitRows, result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_begin}. */
    public static void forwardBegin(long forward, MemorySegment batch) {
        try {
            check((int) FORWARD_BEGIN.invokeExact(forward, batch));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_embed}. */
    public static void forwardEmbed(long forward) {
        try {
            check((int) FORWARD_EMBED.invokeExact(forward));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_layer}. */
    public static void forwardLayer(long forward, int layer) {
        try {
            check((int) FORWARD_LAYER.invokeExact(forward, layer));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_logits}. */
    public static void forwardLogits(long forward, MemorySegment rows, int count, MemorySegment out) {
        try {
            check((int) FORWARD_LOGITS.invokeExact(forward, rows, count, out));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code bt_forward_close}. */
    public static void forwardClose(long forward) {
        try {
            check((int) FORWARD_CLOSE.invokeExact(forward));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    private Bt() {}

    static void check(int status) {
        if (status != 0) {
            throw new KernelException(status, LIBRARY.lastError());
        }
    }

    static RuntimeException rethrow(Throwable t) {
        return switch (t) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new IllegalStateException("a downcall threw a checked exception", t);
        };
    }
}
