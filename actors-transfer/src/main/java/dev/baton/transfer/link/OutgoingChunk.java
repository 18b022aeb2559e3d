package dev.baton.transfer.link;

import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ChunkHeader.FenceWords;
import dev.baton.transfer.link.ffi.KvMemory;
import io.aeron.DirectBufferVector;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One waiting chunk at the sender. Checksum and gather list are made when its turn comes, so that the payload is still in cache
 * when Aeron copies it. Agent thread only, but for {@link #done}.
 */
final class OutgoingChunk {
    final SendChunk chunk;
    final CompletableFuture<SentChunk> done = new CompletableFuture<>();
    private DirectBufferVector @Nullable [] vectors;
    private int crc;

    OutgoingChunk(SendChunk chunk) {
        this.chunk = chunk;
    }

    /** Header and block runs as Aeron takes them; neighbouring blocks are one run. */
    DirectBufferVector[] vectors(UnsafeBuffer header, long linkEpoch) {
        DirectBufferVector[] ready = vectors;
        if (ready == null) {
            ready = gather(header);
            ChunkHeader.encode(
                    header,
                    0,
                    chunk.transferId(),
                    FenceWords.of(chunk.fence()),
                    linkEpoch,
                    chunk.chunk(),
                    chunk.chunkCount(),
                    crc);
            vectors = ready;
        }
        return ready;
    }

    private DirectBufferVector[] gather(UnsafeBuffer header) {
        ChunkSpec spec = chunk.chunk();
        long blockBytes = chunk.region().layerBlockBytes();
        CRC32C running = new CRC32C();
        DirectBufferVector[] runs = new DirectBufferVector[spec.blockCount() + 1];
        runs[0] = new DirectBufferVector(header, 0, ChunkHeader.HEADER_BYTES);
        int count = 1;
        int block = 0;
        while (block < spec.blockCount()) {
            long offsetBytes = chunk.blockOffsetBytes(block);
            int runBlocks = 1;
            while (block + runBlocks < spec.blockCount()
                    && chunk.blockOffsetBytes(block + runBlocks) == offsetBytes + runBlocks * blockBytes) {
                runBlocks++;
            }
            int runBytes = Math.toIntExact(runBlocks * blockBytes);
            KvMemory.updateCrc(running, chunk.region(), offsetBytes, runBytes);
            UnsafeBuffer run = new UnsafeBuffer(KvMemory.address(chunk.region(), offsetBytes, runBytes), runBytes);
            runs[count++] = new DirectBufferVector(run, 0, runBytes);
            block += runBlocks;
        }
        crc = (int) running.getValue();
        return count == runs.length ? runs : java.util.Arrays.copyOf(runs, count);
    }

    int crc() {
        return crc;
    }

    long wireBytes() {
        return ChunkHeader.HEADER_BYTES + chunk.chunk().payloadBytes();
    }
}
