package dev.baton.transfer.link.ffi;

import java.lang.foreign.MemorySegment;

/**
 * A K/V arena as the link sees it: native memory in which one layer of one block is contiguous (DESIGN decision 5,
 * {@code [layer][block][K|V][kv head][slot in block][head dim]}).
 *
 * <p>Implementations are immutable. The memory must stay mapped until every {@code forget} and {@code cancel} of a transfer
 * that names it has completed.
 */
public interface KvRegion {

    /** The whole arena, native, accessible from every thread. */
    MemorySegment memory();

    /**
     * Byte offset of one layer of one block from the start of {@link #memory()}.
     *
     * @throws IndexOutOfBoundsException when the arena has no such layer or block
     */
    long offsetBytes(int layer, int block);

    /** Bytes of one layer of one block; {@code TensorAbi.layerBlockBytes()} of the arena's model. */
    long layerBlockBytes();

    /** Layer-major arena over {@code memory}: layer {@code l} of block {@code b} begins at {@code (l * blocks + b) * layerBlockBytes}. */
    static KvRegion layerMajor(MemorySegment memory, int layers, int blocks, long layerBlockBytes) {
        return new LayerMajorRegion(memory, layers, blocks, layerBlockBytes);
    }
}
