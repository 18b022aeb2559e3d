package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.IncomingMessage.Phase;
import io.aeron.Image;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes fragments off the images, checks each header against what is expected before a byte is written, and copies payload from
 * the term buffer straight into the reserved blocks. Agent thread only.
 */
final class ChunkReceiver implements FragmentHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkReceiver.class);

    private final long linkEpoch;
    private final LinkMeters meters;
    private final LinkMonitor monitor;
    private final Map<TransferId, Expectation> expected = new HashMap<>();
    private final Long2ObjectHashMap<IncomingMessage> images = new Long2ObjectHashMap<>();
    private final byte[] headerScratch = new byte[ChunkHeader.HEADER_CRC_AT];

    ChunkReceiver(long linkEpoch, LinkMeters meters, LinkMonitor monitor) {
        this.linkEpoch = linkEpoch;
        this.meters = meters;
        this.monitor = monitor;
    }

    /** False when the transfer is expected already. */
    boolean expect(ExpectedTransfer transfer, ChunkListener listener) {
        boolean isNew = expected.putIfAbsent(transfer.transferId(), new Expectation(transfer, listener)) == null;
        meters.expectedTransfers.set(expected.size());
        return isNew;
    }

    void forget(TransferId transfer) {
        Expectation gone = expected.remove(transfer);
        meters.expectedTransfers.set(expected.size());
        if (gone != null) {
            for (IncomingMessage message : images.values()) {
                if (message.hasChunk() && message.expectation() == gone) {
                    meters.refused(LinkRefusal.INTERRUPTED);
                    message.skip();
                }
            }
        }
    }

    boolean isExpecting() {
        return !expected.isEmpty();
    }

    void forgetAll() {
        expected.clear();
        images.clear();
        meters.expectedTransfers.set(0);
    }

    void imageGone(Image image) {
        IncomingMessage message = images.remove(image.correlationId());
        if (message != null && message.hasChunk()) {
            refuse(message, LinkRefusal.INTERRUPTED);
            message.end();
        }
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        long imageId = ((Image) header.context()).correlationId();
        IncomingMessage message = images.get(imageId);
        if (message == null) {
            message = new IncomingMessage();
            images.put(imageId, message);
        }
        fragment(message, buffer, offset, length, header.flags());
    }

    void fragment(IncomingMessage message, DirectBuffer buffer, int offset, int length, byte flags) {
        int payloadAt = offset;
        if ((flags & FrameDescriptor.BEGIN_FRAG_FLAG) != 0) {
            if (message.hasChunk()) {
                refuse(message, LinkRefusal.INTERRUPTED);
            }
            message.end();
            begin(message, buffer, offset, length);
            payloadAt = offset + ChunkHeader.HEADER_BYTES;
        } else if (message.phase() == Phase.BETWEEN) {
            refuse(LinkRefusal.MID_MESSAGE_JOIN);
            message.skip();
        }
        if (message.hasChunk()) {
            append(message, buffer.addressOffset() + payloadAt, offset + length - payloadAt);
        }
        if ((flags & FrameDescriptor.END_FRAG_FLAG) != 0) {
            if (message.hasChunk()) {
                finish(message);
            }
            message.end();
        }
    }

    private void begin(IncomingMessage message, DirectBuffer buffer, int at, int length) {
        Optional<LinkRefusal> malformed = checkLink(buffer, at, length);
        if (malformed.isPresent()) {
            refuse(malformed.get());
            message.skip();
            return;
        }
        TransferId id = new TransferId(
                ChunkHeader.longAt(buffer, at + ChunkHeader.TRANSFER_HIGH_AT),
                ChunkHeader.longAt(buffer, at + ChunkHeader.TRANSFER_LOW_AT));
        int index = ChunkHeader.intAt(buffer, at + ChunkHeader.CHUNK_INDEX_AT);
        Expectation expectation = expected.get(id);
        if (expectation == null) {
            refuse(LinkRefusal.UNKNOWN_TRANSFER);
            message.skip();
            return;
        }
        Optional<LinkRefusal> foreign = expectation.check(buffer, at).or(() -> checkTrailer(buffer, at));
        if (foreign.isPresent()) {
            refuse(expectation, index, foreign.get());
            message.skip();
            return;
        }
        supersede(expectation.writer(index));
        ChunkSpec chunk = expectation.transfer.plan().chunk(index);
        message.begin(expectation, chunk, ChunkHeader.intAt(buffer, at + ChunkHeader.PAYLOAD_CRC_AT));
    }

    private Optional<LinkRefusal> checkLink(DirectBuffer b, int at, int length) {
        if (length < ChunkHeader.HEADER_BYTES) {
            return Optional.of(LinkRefusal.TRUNCATED_HEADER);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.MAGIC_AT) != ChunkHeader.MAGIC) {
            return Optional.of(LinkRefusal.MAGIC);
        }
        if (ChunkHeader.shortAt(b, at + ChunkHeader.VERSION_AT) != ChunkHeader.VERSION) {
            return Optional.of(LinkRefusal.VERSION);
        }
        if (ChunkHeader.shortAt(b, at + ChunkHeader.HEADER_BYTES_AT) != ChunkHeader.HEADER_BYTES) {
            return Optional.of(LinkRefusal.HEADER_BYTES);
        }
        if (ChunkHeader.intAt(b, at + ChunkHeader.HEADER_CRC_AT) != ChunkHeader.computeCrc(b, at, headerScratch)) {
            return Optional.of(LinkRefusal.HEADER_CRC);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.LINK_EPOCH_AT) != linkEpoch) {
            return Optional.of(LinkRefusal.LINK_EPOCH);
        }
        return Optional.empty();
    }

    private static Optional<LinkRefusal> checkTrailer(DirectBuffer b, int at) {
        if (ChunkHeader.intAt(b, at + ChunkHeader.FLAGS_AT) != 0) {
            return Optional.of(LinkRefusal.FLAGS);
        }
        if (ChunkHeader.longAt(b, at + ChunkHeader.TAG_AT) != 0
                || ChunkHeader.longAt(b, at + ChunkHeader.TAG_AT + Long.BYTES) != 0) {
            return Optional.of(LinkRefusal.TAG);
        }
        return Optional.empty();
    }

    /** The same chunk comes again while another image is in the middle of it: the newer one takes the blocks. */
    private void supersede(@Nullable IncomingMessage older) {
        if (older != null) {
            refuse(older, LinkRefusal.SUPERSEDED);
            older.skip();
        }
    }

    private void append(IncomingMessage message, long address, int lengthBytes) {
        try {
            if (!message.append(address, lengthBytes)) {
                refuse(message, LinkRefusal.OVERSIZE_PAYLOAD);
                message.skip();
            }
        } catch (IllegalStateException | IndexOutOfBoundsException e) {
            LOG.error(
                    "blocks of transfer={} can't be written",
                    message.expectation().transfer.transferId(),
                    e);
            refuse(message, LinkRefusal.DESTINATION_UNWRITABLE);
            message.skip();
        }
    }

    private void finish(IncomingMessage message) {
        if (!message.isComplete()) {
            refuse(message, LinkRefusal.TRUNCATED_PAYLOAD);
            return;
        }
        if (!message.crcHolds()) {
            refuse(message, LinkRefusal.PAYLOAD_CRC);
            return;
        }
        Expectation expectation = message.expectation();
        TransferId id = expectation.transfer.transferId();
        int index = message.chunk().index();
        int crc = message.crc();
        if (message.phase() == Phase.COMPARING) {
            meters.duplicateChunks.increment();
            boolean sameBytes = crc == expectation.receivedCrc(index);
            tell(() -> expectation.listener.duplicate(id, index, crc, sameBytes));
        } else {
            expectation.markReceived(index, crc);
            long payloadBytes = message.chunk().payloadBytes();
            meters.chunksReceived.increment();
            meters.payloadBytesReceived.add(payloadBytes);
            tell(() -> expectation.listener.received(id, index, payloadBytes, crc));
        }
    }

    private void refuse(IncomingMessage message, LinkRefusal reason) {
        refuse(message.expectation(), message.chunk().index(), reason);
    }

    private void refuse(Expectation expectation, int chunkIndex, LinkRefusal reason) {
        meters.refused(reason);
        tell(() -> expectation.listener.refused(expectation.transfer.transferId(), chunkIndex, reason));
    }

    private void refuse(LinkRefusal reason) {
        meters.refused(reason);
        tell(() -> monitor.refused(reason));
    }

    /** A listener that throws is a bug of its owner and must not take the other transfers down. */
    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            LOG.error("a link listener threw; the chunk's outcome may be lost until its transfer's deadline", e);
        }
    }
}
