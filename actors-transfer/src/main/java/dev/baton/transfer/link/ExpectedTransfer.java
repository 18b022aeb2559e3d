package dev.baton.transfer.link;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ffi.KvRegion;

/** What a destination is ready to take: under which fence, which chunks, and where each block of the prompt goes. */
public final class ExpectedTransfer {
    private final TransferId transferId;
    private final Fence fence;
    private final ChunkPlan plan;
    private final KvRegion region;
    private final int[] blocks;

    /**
     * @param blocks destination block id of each prompt block, from the plan's first block on; copied
     * @throws IllegalArgumentException when a block is missing, used twice, not in the arena, or the plan has another block size
     */
    public ExpectedTransfer(TransferId transferId, Fence fence, ChunkPlan plan, KvRegion region, int[] blocks) {
        this.transferId = transferId;
        this.fence = fence;
        this.plan = plan;
        this.region = region;
        this.blocks = BlockTables.check(plan, region, blocks);
        BlockTables.requireDistinct(this.blocks);
    }

    public TransferId transferId() {
        return transferId;
    }

    public Fence fence() {
        return fence;
    }

    public ChunkPlan plan() {
        return plan;
    }

    public KvRegion region() {
        return region;
    }

    /** Byte offset in the arena of the {@code i}-th block of {@code chunk}. */
    long blockOffsetBytes(ChunkSpec chunk, int i) {
        int ordinal = chunk.firstBlock() - plan.chunk(0).firstBlock() + i;
        return region.offsetBytes(chunk.layer(), blocks[ordinal]);
    }
}
