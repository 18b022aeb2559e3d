package dev.baton.kernels.arena;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.ffi.KernelException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The layout that the data plane relies on. */
class KvArenaTest {
    private static final ArenaShape SHAPE = new ArenaShape(3, 5, 2, 16, 8, KvType.F32);

    @Test
    void offsetsFollowTheDocumentedLayout() {
        assertThat(SHAPE.layerBlockBytes()).isEqualTo(2L * 2 * 16 * 8 * 4);
        assertThat(SHAPE.offsetBytes(0, 0)).isZero();
        assertThat(SHAPE.offsetBytes(0, 1)).isEqualTo(SHAPE.layerBlockBytes());
        assertThat(SHAPE.offsetBytes(1, 0)).isEqualTo(5 * SHAPE.layerBlockBytes());
        assertThat(SHAPE.offsetBytes(2, 4)).isEqualTo(14 * SHAPE.layerBlockBytes());
        assertThat(SHAPE.totalBytes()).isEqualTo(15 * SHAPE.layerBlockBytes());
        assertThatThrownBy(() -> SHAPE.offsetBytes(3, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> SHAPE.offsetBytes(0, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(new ArenaShape(3, 5, 2, 16, 8, KvType.F16).layerBlockBytes()).isEqualTo(1024);
    }

    @Test
    void copyAndZeroTouchOneBlockInEveryLayer() {
        try (Device device = Device.open(DeviceConfig.auto(1));
                KvArena arena = KvArena.create(device, SHAPE)) {
            assertThat(arena.address() % 4096).isZero();
            assertThat(arena.segment().get(JAVA_FLOAT, arena.segment().byteSize() - 4))
                    .isZero();
            for (int layer = 0; layer < 3; layer++) {
                for (int block = 0; block < 5; block++) {
                    block(arena, layer, block).fill((byte) (10 * layer + block));
                }
            }
            arena.copyBlock(1, 4);
            arena.zeroBlock(2);
            for (int layer = 0; layer < 3; layer++) {
                int[] expected = {10 * layer, 10 * layer + 1, 0, 10 * layer + 3, 10 * layer + 1};
                for (int block = 0; block < 5; block++) {
                    byte[] bytes = block(arena, layer, block).toArray(JAVA_BYTE);
                    assertThat(bytes).containsOnly(expected[block]);
                }
            }
        }
    }

    @Test
    void refusals() {
        try (Device device = Device.open(DeviceConfig.auto(1));
                KvArena arena = KvArena.create(device, SHAPE)) {
            assertThatThrownBy(() -> arena.copyBlock(0, 5))
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("to is 5");
            assertThatThrownBy(() -> arena.zeroBlock(-1))
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("block is -1");
            assertThatThrownBy(() -> KvArena.create(device, new ArenaShape(1, 1, 1, 16, 7, KvType.F32)))
                    .hasMessageContaining("head_dim 7 is odd");
            assertThatThrownBy(device::close)
                    .isInstanceOf(KernelException.class)
                    .hasMessageContaining("open children");
        }
    }

    @Test
    void aClosedArenaCannotBeRead() {
        MemorySegment segment;
        try (Device device = Device.open(DeviceConfig.auto(1))) {
            try (KvArena arena = KvArena.create(device, SHAPE)) {
                segment = arena.segment();
            }
            assertThatThrownBy(() -> segment.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        }
    }

    private static MemorySegment block(KvArena arena, int layer, int block) {
        return arena.segment().asSlice(arena.offsetBytes(layer, block), arena.layerBlockBytes());
    }
}
