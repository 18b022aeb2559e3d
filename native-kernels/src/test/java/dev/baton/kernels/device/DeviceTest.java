package dev.baton.kernels.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.kernels.device.DeviceConfig.Backend;
import dev.baton.kernels.device.DeviceConfig.Isa;
import dev.baton.kernels.ffi.Bt;
import dev.baton.kernels.ffi.KernelException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Devices, their memories, queues and events. */
class DeviceTest {
    private static final int HOST = 0;
    private static final int DEVICE = 1;

    @Test
    void theIdentityNamesWhatDecidesTheBits() {
        try (Device reference = Device.open(DeviceConfig.reference());
                Device one = Device.open(DeviceConfig.cpu(Isa.SCALAR, 1));
                Device two = Device.open(new DeviceConfig(Backend.CPU, Isa.SCALAR, 2, true))) {
            assertThat(reference.numericsIdentity()).startsWith("reference/k");
            assertThat(one.numericsIdentity()).startsWith("cpu/scalar/k");
            assertThat(two.numericsIdentity()).isEqualTo(one.numericsIdentity());
            assertThat(two.threads()).isEqualTo(2);
        }
    }

    @Test
    void tooManyThreadsAreRefused() {
        assertThatThrownBy(() -> Device.open(DeviceConfig.auto(257)))
                .isInstanceOf(KernelException.class)
                .hasMessageContaining("threads is 257, must be 0 to 256");
    }

    @Test
    void limitsAreMeasuredOnWhatServesAndRefusedOnTheReference() {
        try (Device device = Device.open(DeviceConfig.auto(1));
                Device reference = Device.open(DeviceConfig.reference())) {
            assertThat(device.measure(Device.Limit.READ_BYTES)).isGreaterThan(1e8);
            assertThat(device.measure(Device.Limit.INT8_OPERATIONS)).isGreaterThan(1e9);
            assertThatThrownBy(() -> reference.measure(Device.Limit.READ_BYTES))
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("reference measures no limits");
        }
    }

    @Test
    void anEventBehindACopyIsCompleteWhenTheCopyIs() {
        try (Device device = Device.open(DeviceConfig.auto(1));
                Queue queue = device.newQueue();
                Event event = device.newEvent()) {
            assertThat(event.isComplete()).as("new").isTrue();
            long host = Bt.memoryCreate(device.handle(), HOST, 64);
            long far = Bt.memoryCreate(device.handle(), DEVICE, 32);
            MemorySegment.ofAddress(Bt.memoryAddress(host)).reinterpret(64).set(JAVA_BYTE, 5, (byte) 42);
            Bt.memoryCopy(queue.handle(), far, 8, host, 4, 16);
            Bt.memoryCopy(queue.handle(), host, 40, far, 8, 16);
            event.record(queue);
            device.queue().waitFor(event);
            event.await();
            assertThat(event.isComplete()).isTrue();
            assertThat(MemorySegment.ofAddress(Bt.memoryAddress(host))
                            .reinterpret(64)
                            .get(JAVA_BYTE, 41))
                    .isEqualTo((byte) 42);
            assertThatThrownBy(() -> Bt.memoryCopy(queue.handle(), far, 20, host, 0, 16))
                    .hasMessageContaining("to_offset is 20, must be 0 to 16");
            Bt.memoryClose(host);
            Bt.memoryClose(far);
        }
    }
}
