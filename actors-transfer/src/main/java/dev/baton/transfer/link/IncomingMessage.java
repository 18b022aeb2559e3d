package dev.baton.transfer.link;

import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ffi.KvMemory;
import dev.baton.transfer.link.ffi.KvRegion;
import java.util.zip.CRC32C;

/**
 * Where one image stands in its stream: between messages, inside an accepted chunk, or passing over a refused one. Reused for every
 * message of the image. Agent thread only.
 */
final class IncomingMessage {
    /** What the next fragment without a BEGIN flag means. */
    enum Phase {
        /** No message has begun: a continuation here means that we joined in the middle. */
        BETWEEN,
        /** Payload goes to the reserved blocks. */
        WRITING,
        /** The chunk is here already: payload is only checksummed. */
        COMPARING,
        /** Refused: the rest of the message is passed over. */
        SKIPPING
    }

    private final CRC32C crc = new CRC32C();
    private Phase phase = Phase.BETWEEN;
    private Expectation expectation;
    private ChunkSpec chunk;
    private int declaredCrc;
    private long positionBytes;

    @SuppressWarnings(
            "NullAway.Init") // expectation and chunk are set by begin(), and read only while WRITING or COMPARING
    IncomingMessage() {}

    Phase phase() {
        return phase;
    }

    Expectation expectation() {
        return expectation;
    }

    ChunkSpec chunk() {
        return chunk;
    }

    boolean hasChunk() {
        return phase == Phase.WRITING || phase == Phase.COMPARING;
    }

    void begin(Expectation owner, ChunkSpec spec, int payloadCrc) {
        expectation = owner;
        chunk = spec;
        declaredCrc = payloadCrc;
        positionBytes = 0;
        crc.reset();
        if (owner.isReceived(spec.index())) {
            phase = Phase.COMPARING;
        } else {
            phase = Phase.WRITING;
            owner.setWriter(spec.index(), this);
        }
    }

    /** Takes payload at {@code address}; false when there is more than the chunk has, then nothing of it was taken. */
    boolean append(long address, int lengthBytes) {
        if (lengthBytes > chunk.payloadBytes() - positionBytes) {
            return false;
        }
        if (phase == Phase.COMPARING) {
            KvMemory.updateCrc(crc, address, lengthBytes);
            positionBytes += lengthBytes;
        } else {
            write(address, lengthBytes);
        }
        return true;
    }

    private void write(long address, int lengthBytes) {
        ExpectedTransfer transfer = expectation.transfer;
        KvRegion region = transfer.region();
        long blockBytes = region.layerBlockBytes();
        int done = 0;
        while (done < lengthBytes) {
            int block = (int) (positionBytes / blockBytes);
            long withinBytes = positionBytes - block * blockBytes;
            int runBytes = (int) Math.min(lengthBytes - done, blockBytes - withinBytes);
            long offsetBytes = transfer.blockOffsetBytes(chunk, block) + withinBytes;
            KvMemory.copyIn(address + done, region, offsetBytes, runBytes);
            // Over the destination, not the term buffer: what is vouched for is what decode will read. It is still in
            // cache.
            KvMemory.updateCrc(crc, region, offsetBytes, runBytes);
            positionBytes += runBytes;
            done += runBytes;
        }
    }

    boolean isComplete() {
        return positionBytes == chunk.payloadBytes();
    }

    int crc() {
        return (int) crc.getValue();
    }

    boolean crcHolds() {
        return crc() == declaredCrc;
    }

    /** Passes over what is left of the current message. */
    void skip() {
        letGo();
        phase = Phase.SKIPPING;
    }

    /** The message is over. */
    void end() {
        letGo();
        phase = Phase.BETWEEN;
    }

    private void letGo() {
        if (phase == Phase.WRITING && expectation.writer(chunk.index()) == this) {
            expectation.setWriter(chunk.index(), null);
        }
    }
}
