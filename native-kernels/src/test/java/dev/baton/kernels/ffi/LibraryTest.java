package dev.baton.kernels.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** What is checked before the library is trusted. */
class LibraryTest {
    @Test
    void everyStructHasTheSizeTheLibraryWasCompiledWith() throws Throwable {
        var structBytes = Library.INSTANCE.function("bt_struct_bytes", ValueLayout.JAVA_INT);
        for (int i = 0; i < Structs.ALL.size(); i++) {
            int bytes = (int) structBytes.invokeExact(i);
            assertThat((long) bytes).isEqualTo(Structs.ALL.get(i).byteSize());
        }
        int none = (int) structBytes.invokeExact(Structs.ALL.size());
        assertThat(none)
                .as("the library has no struct the binding does not know")
                .isEqualTo(-1);
    }

    @Test
    void aMissingFunctionIsAnErrorThatNamesTheCure() {
        assertThatThrownBy(() -> Library.INSTANCE.function("bt_no_such_function"))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("bt_no_such_function")
                .hasMessageContaining("Rebuild native-kernels");
    }

    @Test
    void aStructOfAnotherSizeIsRefused() {
        StructLayout layout = Structs.DEVICE_CONFIG;
        MemorySegment config = Structs.allocate(Arena.ofAuto(), layout);
        Structs.setInt(config, layout, "struct_bytes", 20);
        assertThatThrownBy(() -> Bt.deviceOpen(config))
                .isInstanceOfSatisfying(
                        KernelException.class, e -> assertThat(e.status()).isEqualTo(Bt.ERR_ARGUMENT))
                .hasMessageContaining("bt_device_config has 20 bytes, this library expects 24");
    }
}
