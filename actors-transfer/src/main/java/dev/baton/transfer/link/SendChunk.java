package dev.baton.transfer.link;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ffi.KvRegion;

/** A chunk whose K/V is ready at the source (the producer gate of §0x06C has passed) and the blocks that hold it. */
public final class SendChunk {
    private final Fence fence;
    private final TransferId transferId;
    private final ChunkSpec chunk;
    private final int chunkCount;
    private final KvRegion region;
    private final int firstPlanBlock;
    private final int[] blocks;

    /**
     * @param index chunk of {@code plan}
     * @param blocks source block id of each prompt block, from the plan's first block on: the table of the whole transfer, not
     *     copied and not to be changed
     */
    public SendChunk(Fence fence, TransferId transferId, ChunkPlan plan, int index, KvRegion region, int[] blocks) {
        this.fence = fence;
        this.transferId = transferId;
        this.chunk = plan.chunk(index);
        this.chunkCount = plan.count();
        this.region = region;
        this.firstPlanBlock = plan.chunk(0).firstBlock();
        this.blocks = blocks;
        if (chunk.payloadBytes() != chunk.blockCount() * region.layerBlockBytes()) {
            throw new IllegalArgumentException("chunk " + index + " has " + chunk.payloadBytes() + " bytes in "
                    + chunk.blockCount() + " blocks; the arena's layer block has " + region.layerBlockBytes());
        }
        if (chunk.firstBlock() - firstPlanBlock + chunk.blockCount() > blocks.length) {
            throw new IllegalArgumentException(
                    "chunk " + index + " needs more blocks than the table of " + blocks.length + " has");
        }
    }

    public Fence fence() {
        return fence;
    }

    public TransferId transferId() {
        return transferId;
    }

    public ChunkSpec chunk() {
        return chunk;
    }

    int chunkCount() {
        return chunkCount;
    }

    KvRegion region() {
        return region;
    }

    /** Byte offset in the arena of the {@code i}-th block of the chunk. */
    long blockOffsetBytes(int i) {
        return region.offsetBytes(chunk.layer(), blocks[chunk.firstBlock() - firstPlanBlock + i]);
    }
}
