package dev.baton.transfer.link;

import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ffi.KvRegion;
import java.util.Arrays;

/** Checks a block table once, when a transfer is named, so that the copy loops need no checks of their own. */
final class BlockTables {

    private BlockTables() {}

    /** A private copy of {@code blocks} that holds every block of {@code plan} and only blocks of {@code region}. */
    static int[] check(ChunkPlan plan, KvRegion region, int[] blocks) {
        if (plan.count() == 0) {
            throw new IllegalArgumentException("a transfer needs at least one chunk");
        }
        int[] copy = blocks.clone();
        int first = plan.chunk(0).firstBlock();
        for (ChunkSpec chunk : plan.chunks()) {
            if (chunk.firstBlock() < first || chunk.firstBlock() + chunk.blockCount() - first > copy.length) {
                throw new IllegalArgumentException("chunk " + chunk.index() + " needs prompt blocks "
                        + chunk.firstBlock()
                        + " to " + (chunk.firstBlock() + chunk.blockCount() - 1) + "; the table has " + copy.length
                        + " from " + first);
            }
            if (chunk.payloadBytes() != chunk.blockCount() * region.layerBlockBytes()) {
                throw new IllegalArgumentException("chunk " + chunk.index() + " has " + chunk.payloadBytes()
                        + " bytes in " + chunk.blockCount() + " blocks; the arena's layer block has "
                        + region.layerBlockBytes());
            }
            for (int i = 0; i < chunk.blockCount(); i++) {
                long offset = region.offsetBytes(chunk.layer(), copy[chunk.firstBlock() - first + i]);
                if (offset < 0 || offset > region.memory().byteSize() - region.layerBlockBytes()) {
                    throw new IllegalArgumentException("block " + copy[chunk.firstBlock() - first + i] + " of layer "
                            + chunk.layer() + " lies outside the arena");
                }
            }
        }
        return copy;
    }

    /** Two prompt blocks in one arena block would overwrite each other. */
    static void requireDistinct(int[] blocks) {
        if (Arrays.stream(blocks).distinct().count() != blocks.length) {
            throw new IllegalArgumentException("a destination block appears twice in " + Arrays.toString(blocks));
        }
    }
}
