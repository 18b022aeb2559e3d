package dev.baton.transfer.link;

import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ChunkHeader.FenceWords;
import java.util.BitSet;
import java.util.Optional;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** One expected transfer at the receiver: what its headers must say, and what has come. Agent thread only. */
final class Expectation {
    final ExpectedTransfer transfer;
    final ChunkListener listener;
    private final FenceWords fence;
    private final BitSet received;
    private final int[] crcs;
    /** Who writes each chunk's blocks now; two writers at once could mix two payloads. */
    private final @Nullable IncomingMessage[] writers;

    Expectation(ExpectedTransfer transfer, ChunkListener listener) {
        this.transfer = transfer;
        this.listener = listener;
        this.fence = FenceWords.of(transfer.fence());
        int count = transfer.plan().count();
        this.received = new BitSet(count);
        this.crcs = new int[count];
        this.writers = new @Nullable IncomingMessage[count];
    }

    /** Compares every field that belongs to this transfer; the first that differs names the refusal. */
    Optional<LinkRefusal> check(DirectBuffer b, int at) {
        if (ChunkHeader.longAt(b, at + ChunkHeader.TENANT_AT) != fence.tenant()) {
            return Optional.of(LinkRefusal.TENANT);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.REQUEST_AT) != fence.request()) {
            return Optional.of(LinkRefusal.REQUEST);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.GENERATION_AT) != fence.generation()) {
            return Optional.of(LinkRefusal.GENERATION);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.ATTEMPT_AT) != fence.attempt()) {
            return Optional.of(LinkRefusal.ATTEMPT);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.SOURCE_EPOCH_AT) != fence.sourceEpoch()) {
            return Optional.of(LinkRefusal.SOURCE_EPOCH);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.DESTINATION_EPOCH_AT) != fence.destinationEpoch()) {
            return Optional.of(LinkRefusal.DESTINATION_EPOCH);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.RESERVATION_AT) != fence.reservation()) {
            return Optional.of(LinkRefusal.RESERVATION);
        }
        return checkChunk(b, at);
    }

    private Optional<LinkRefusal> checkChunk(DirectBuffer b, int at) {
        if (ChunkHeader.intAt(b, at + ChunkHeader.CHUNK_COUNT_AT) != crcs.length) {
            return Optional.of(LinkRefusal.CHUNK_COUNT);
        }
        int index = ChunkHeader.intAt(b, at + ChunkHeader.CHUNK_INDEX_AT);
        if (index < 0 || index >= crcs.length) {
            return Optional.of(LinkRefusal.CHUNK_INDEX);
        }
        ChunkSpec chunk = transfer.plan().chunk(index);
        if (ChunkHeader.intAt(b, at + ChunkHeader.LAYER_AT) != chunk.layer()) {
            return Optional.of(LinkRefusal.LAYER);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.TOKEN_START_AT)
                != chunk.tokens().start()) {
            return Optional.of(LinkRefusal.TOKEN_START);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.TOKEN_COUNT_AT)
                != chunk.tokens().count()) {
            return Optional.of(LinkRefusal.TOKEN_COUNT);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.FIRST_BLOCK_AT) != chunk.firstBlock()) {
            return Optional.of(LinkRefusal.FIRST_BLOCK);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.BLOCK_COUNT_AT) != chunk.blockCount()) {
            return Optional.of(LinkRefusal.BLOCK_COUNT);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.PAYLOAD_BYTES_AT) != chunk.payloadBytes()) {
            return Optional.of(LinkRefusal.PAYLOAD_BYTES);
        }
        return Optional.empty();
    }

    boolean isReceived(int chunkIndex) {
        return received.get(chunkIndex);
    }

    int receivedCrc(int chunkIndex) {
        return crcs[chunkIndex];
    }

    void markReceived(int chunkIndex, int crc) {
        received.set(chunkIndex);
        crcs[chunkIndex] = crc;
    }

    @Nullable
    IncomingMessage writer(int chunkIndex) {
        return writers[chunkIndex];
    }

    void setWriter(int chunkIndex, @Nullable IncomingMessage message) {
        writers[chunkIndex] = message;
    }
}
