package dev.baton.kernels.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/** The loaded library, checked to be the one this binding was written for. */
final class Library {
    static final int ABI_VERSION = 1;
    static final Library INSTANCE = new Library(NativeLibrary.load());

    private static final int ERROR_BYTES = 512;

    private final SymbolLookup symbols;
    private final MethodHandle lastError;

    private Library(SymbolLookup symbols) {
        this.symbols = symbols;
        this.lastError = function("bt_last_error", ADDRESS, JAVA_LONG);
        try {
            int version = (int) function("bt_abi_version").invokeExact();
            if (version != ABI_VERSION) {
                throw incompatible("its ABI version is " + version + ", this binding needs " + ABI_VERSION);
            }
            MethodHandle structBytes = function("bt_struct_bytes", JAVA_INT);
            for (int i = 0; i < Structs.ALL.size(); i++) {
                StructLayout layout = Structs.ALL.get(i);
                int bytes = (int) structBytes.invokeExact(i);
                if (bytes != layout.byteSize()) {
                    throw incompatible(layout.name().orElseThrow() + " has " + bytes + " bytes there and "
                            + layout.byteSize() + " here");
                }
            }
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    /** @param arguments layouts of the C parameters; every function returns int32 */
    MethodHandle function(String name, MemoryLayout... arguments) {
        MemorySegment address = symbols.find(name).orElseThrow(() -> incompatible("it has no function " + name));
        return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    /** The native text of this thread's last failure. */
    String lastError() {
        try (Arena frame = Arena.ofConfined()) {
            MemorySegment text = frame.allocate(ERROR_BYTES);
            int status = (int) lastError.invokeExact(text, (long) ERROR_BYTES);
            return status == 0 ? text.getString(0) : "the native library gave no text";
        } catch (Throwable t) {
            throw Bt.rethrow(t);
        }
    }

    private static KernelException incompatible(String how) {
        return new KernelException(
                Bt.ERR_UNSUPPORTED,
                "the native library does not fit this jar: " + how + ". Rebuild native-kernels (mvn clean package)");
    }
}
