package dev.baton.transfer.link.ffi;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The arena layout of DESIGN decision 5. */
record LayerMajorRegion(MemorySegment memory, int layers, int blocks, long layerBlockBytes) implements KvRegion {

    LayerMajorRegion {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("a K/V region must be native memory, found a heap segment");
        }
        long neededBytes = Math.multiplyExact(Math.multiplyExact((long) layers, blocks), layerBlockBytes);
        if (layers <= 0 || blocks <= 0 || layerBlockBytes <= 0 || neededBytes > memory.byteSize()) {
            throw new IllegalArgumentException("K/V region of " + layers + " layers x " + blocks + " blocks x "
                    + layerBlockBytes + " bytes needs " + neededBytes + " bytes, the memory has " + memory.byteSize());
        }
    }

    @Override
    public long offsetBytes(int layer, int block) {
        Objects.checkIndex(layer, layers);
        Objects.checkIndex(block, blocks);
        return ((long) layer * blocks + block) * layerBlockBytes;
    }
}
