package dev.baton.transfer.link;

import static io.aeron.logbuffer.FrameDescriptor.BEGIN_FRAG_FLAG;
import static io.aeron.logbuffer.FrameDescriptor.END_FRAG_FLAG;
import static io.aeron.logbuffer.FrameDescriptor.UNFRAGMENTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.ChunkHeader.FenceWords;
import dev.baton.transfer.link.RecordingListener.Received;
import dev.baton.transfer.link.RecordingListener.Refused;
import dev.baton.transfer.link.ffi.KvMemory;
import dev.baton.transfer.link.ffi.KvRegion;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The receiver fed fragment by fragment, without Aeron. */
class ChunkReceiverTest {
    private static final long LINK_EPOCH = 77;
    private static final int FRAGMENT = 5_000;

    private final Arena arena = Arena.ofShared();
    private final Fence fence = Transfers.fence("r1");
    private final ChunkPlan plan = Transfers.plan(3, 100, 2);
    private final ChunkSpec chunk = plan.chunk(5);
    private final int[] blocks = {6, 0, 3, 5, 1, 2, 4};
    private final KvRegion from = Transfers.randomRegion(arena, 3, 7, 11);
    private final KvRegion to = Transfers.region(arena, 3, 7);
    private final LinkMeters meters = new LinkMeters();
    private final List<LinkRefusal> unowned = new ArrayList<>();
    private final RecordingListener listener = new RecordingListener();
    private final ChunkReceiver receiver = new ChunkReceiver(LINK_EPOCH, meters, new LinkMonitor() {
        @Override
        public void refused(LinkRefusal reason) {
            unowned.add(reason);
        }

        @Override
        public void failed(LinkFailure failure) {
            throw new AssertionError(failure);
        }
    });
    private final IncomingMessage image = new IncomingMessage();

    ChunkReceiverTest() {
        receiver.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, blocks), listener);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    /** One field of a sealed header changed to a value that is legal for the field. */
    enum Mutation {
        MAGIC(ChunkHeader.MAGIC_AT, Integer.BYTES, LinkRefusal.MAGIC, false),
        VERSION(ChunkHeader.VERSION_AT, Short.BYTES, LinkRefusal.VERSION, false),
        HEADER_BYTES(ChunkHeader.HEADER_BYTES_AT, Short.BYTES, LinkRefusal.HEADER_BYTES, false),
        LINK_EPOCH(ChunkHeader.LINK_EPOCH_AT, Long.BYTES, LinkRefusal.LINK_EPOCH, false),
        TRANSFER_HIGH(ChunkHeader.TRANSFER_HIGH_AT, Long.BYTES, LinkRefusal.UNKNOWN_TRANSFER, false),
        TRANSFER_LOW(ChunkHeader.TRANSFER_LOW_AT, Long.BYTES, LinkRefusal.UNKNOWN_TRANSFER, false),
        TENANT(ChunkHeader.TENANT_AT, Long.BYTES, LinkRefusal.TENANT, true),
        REQUEST(ChunkHeader.REQUEST_AT, Long.BYTES, LinkRefusal.REQUEST, true),
        GENERATION(ChunkHeader.GENERATION_AT, Long.BYTES, LinkRefusal.GENERATION, true),
        ATTEMPT(ChunkHeader.ATTEMPT_AT, Long.BYTES, LinkRefusal.ATTEMPT, true),
        SOURCE_EPOCH(ChunkHeader.SOURCE_EPOCH_AT, Long.BYTES, LinkRefusal.SOURCE_EPOCH, true),
        DESTINATION_EPOCH(ChunkHeader.DESTINATION_EPOCH_AT, Long.BYTES, LinkRefusal.DESTINATION_EPOCH, true),
        RESERVATION(ChunkHeader.RESERVATION_AT, Long.BYTES, LinkRefusal.RESERVATION, true),
        CHUNK_COUNT(ChunkHeader.CHUNK_COUNT_AT, Integer.BYTES, LinkRefusal.CHUNK_COUNT, true),
        CHUNK_INDEX(ChunkHeader.CHUNK_INDEX_AT, Integer.BYTES, LinkRefusal.CHUNK_INDEX, true),
        LAYER(ChunkHeader.LAYER_AT, Integer.BYTES, LinkRefusal.LAYER, true),
        TOKEN_START(ChunkHeader.TOKEN_START_AT, Integer.BYTES, LinkRefusal.TOKEN_START, true),
        TOKEN_COUNT(ChunkHeader.TOKEN_COUNT_AT, Integer.BYTES, LinkRefusal.TOKEN_COUNT, true),
        FIRST_BLOCK(ChunkHeader.FIRST_BLOCK_AT, Integer.BYTES, LinkRefusal.FIRST_BLOCK, true),
        BLOCK_COUNT(ChunkHeader.BLOCK_COUNT_AT, Integer.BYTES, LinkRefusal.BLOCK_COUNT, true),
        PAYLOAD_BYTES(ChunkHeader.PAYLOAD_BYTES_AT, Long.BYTES, LinkRefusal.PAYLOAD_BYTES, true),
        FLAGS(ChunkHeader.FLAGS_AT, Integer.BYTES, LinkRefusal.FLAGS, true),
        TAG_FIRST(ChunkHeader.TAG_AT, Long.BYTES, LinkRefusal.TAG, true),
        TAG_LAST(ChunkHeader.TAG_AT + Long.BYTES, Long.BYTES, LinkRefusal.TAG, true);

        final int at;
        final int bytes;
        final LinkRefusal reason;
        final boolean isTransferKnown;

        Mutation(int at, int bytes, LinkRefusal reason, boolean isTransferKnown) {
            this.at = at;
            this.bytes = bytes;
            this.reason = reason;
            this.isTransferKnown = isTransferKnown;
        }
    }

    @ParameterizedTest
    @EnumSource(Mutation.class)
    void s0x01A_oneForeignFieldRefusesTheChunkAndWritesNothing(Mutation mutation) {
        UnsafeBuffer message = message(chunk);
        // The index must leave the plan: another index of the plan is caught by the layer or the tokens.
        byte change = mutation == Mutation.CHUNK_INDEX ? (byte) 64 : 1;
        message.putByte(mutation.at, (byte) (message.getByte(mutation.at) ^ change));
        ChunkHeader.sealCrc(message, 0);

        feed(image, message);

        assertThat(Transfers.isAllZero(to)).isTrue();
        assertThat(meters.sample().refused()).containsEntry(mutation.reason, 1L);
        assertThat(meters.sample().refusedTotal()).isOne();
        if (mutation.isTransferKnown) {
            assertThat(unowned).isEmpty();
            assertThat(listener.told()).singleElement().isInstanceOf(Refused.class);
            assertThat(((Refused) listener.told().getFirst()).reason()).isEqualTo(mutation.reason);
        } else {
            assertThat(unowned).containsExactly(mutation.reason);
            assertThat(listener.told()).isEmpty();
        }
        theNextGoodChunkArrives();
    }

    @Test
    void theTableHoldsEveryFieldOfTheHeader() {
        int covered = 0;
        for (Mutation mutation : Mutation.values()) {
            covered += mutation.bytes;
        }
        // Payload and header CRC have tests of their own below.
        assertThat(covered).isEqualTo(ChunkHeader.HEADER_BYTES - 2 * Integer.BYTES);
    }

    @Test
    void anUnsealedChangeFailsTheHeaderCrc() {
        UnsafeBuffer message = message(chunk);
        message.putByte(ChunkHeader.PAYLOAD_CRC_AT, (byte) (message.getByte(ChunkHeader.PAYLOAD_CRC_AT) ^ 1));
        feed(image, message);
        assertThat(unowned).containsExactly(LinkRefusal.HEADER_CRC);
        assertThat(Transfers.isAllZero(to)).isTrue();
        theNextGoodChunkArrives();
    }

    @Test
    void s0x06A_payloadThatIsNotWhatWasChecksummedIsNotReceived() {
        UnsafeBuffer message = message(chunk);
        int last = message.capacity() - 1;
        message.putByte(last, (byte) (message.getByte(last) ^ 1));
        feed(image, message);
        assertThat(listener.told()).containsExactly(new Refused(chunk.index(), LinkRefusal.PAYLOAD_CRC));
        theNextGoodChunkArrives();
    }

    @Test
    void aMessageShorterThanAHeaderIsRefused() {
        receiver.fragment(image, message(chunk), 0, ChunkHeader.HEADER_BYTES - 1, UNFRAGMENTED);
        receiver.fragment(image, message(chunk), 0, 0, UNFRAGMENTED);
        assertThat(unowned).containsExactly(LinkRefusal.TRUNCATED_HEADER, LinkRefusal.TRUNCATED_HEADER);
        theNextGoodChunkArrives();
    }

    @Test
    void aMessageThatEndsEarlyIsNotReceived() {
        UnsafeBuffer message = message(chunk);
        receiver.fragment(image, message, 0, message.capacity() - 1, UNFRAGMENTED);
        assertThat(listener.told()).containsExactly(new Refused(chunk.index(), LinkRefusal.TRUNCATED_PAYLOAD));
        theNextGoodChunkArrives();
    }

    @Test
    void aMessageThatGoesOnIsCutAndWritesNothingElsewhere() {
        UnsafeBuffer message = message(chunk);
        UnsafeBuffer longer = new UnsafeBuffer(ByteBuffer.allocateDirect(message.capacity() + 1));
        longer.putBytes(0, message, 0, message.capacity());
        feed(image, longer);
        assertThat(listener.told()).containsExactly(new Refused(chunk.index(), LinkRefusal.OVERSIZE_PAYLOAD));
        for (ChunkSpec other : plan.chunks()) {
            if (other.index() != chunk.index()) {
                assertThat(isZero(other)).isTrue();
            }
        }
        theNextGoodChunkArrives();
    }

    @Test
    void joiningInTheMiddleOfAMessageSkipsToTheNext() {
        UnsafeBuffer message = message(chunk);
        receiver.fragment(image, message, FRAGMENT, FRAGMENT, (byte) 0);
        receiver.fragment(image, message, 2 * FRAGMENT, FRAGMENT, (byte) 0);
        receiver.fragment(image, message, 3 * FRAGMENT, 500, END_FRAG_FLAG);
        assertThat(unowned).containsExactly(LinkRefusal.MID_MESSAGE_JOIN);
        assertThat(Transfers.isAllZero(to)).isTrue();
        theNextGoodChunkArrives();
    }

    @Test
    void aChunkThatBeginsOnAnotherImageTakesTheBlocksOver() {
        IncomingMessage second = new IncomingMessage();
        UnsafeBuffer message = message(chunk);
        receiver.fragment(image, message, 0, FRAGMENT, BEGIN_FRAG_FLAG);
        receiver.fragment(second, message, 0, FRAGMENT, BEGIN_FRAG_FLAG);
        receiver.fragment(image, message, FRAGMENT, FRAGMENT, (byte) 0);
        receiver.fragment(image, message, 2 * FRAGMENT, message.capacity() - 2 * FRAGMENT, END_FRAG_FLAG);
        assertThat(listener.told()).containsExactly(new Refused(chunk.index(), LinkRefusal.SUPERSEDED));

        receiver.fragment(second, message, FRAGMENT, message.capacity() - FRAGMENT, END_FRAG_FLAG);
        assertThat(listener.told()).hasSize(2).last().isInstanceOf(Received.class);
        assertThat(Transfers.mismatch(chunk, from, blocks, to, blocks)).isEqualTo(-1);
    }

    @Test
    void aForgottenTransferIsNotWrittenEvenInTheMiddleOfAMessage() {
        IncomingMessage other = new IncomingMessage();
        UnsafeBuffer message = message(chunk);
        receiver.fragment(other, message, 0, FRAGMENT, BEGIN_FRAG_FLAG);
        receiver.forget(fence.transferId());
        to.memory().fill((byte) 0);
        feed(image, message);
        assertThat(Transfers.isAllZero(to)).isTrue();
        assertThat(listener.told()).isEmpty();
        assertThat(unowned).containsExactly(LinkRefusal.UNKNOWN_TRANSFER);
    }

    @Test
    void anArenaThatIsGoneRefusesTheChunkAndSparesTheOthers() {
        Fence doomed = Transfers.fence("doomed");
        RecordingListener told = new RecordingListener();
        try (Arena freed = Arena.ofShared()) {
            KvRegion gone = Transfers.region(freed, 3, 7);
            receiver.expect(new ExpectedTransfer(doomed.transferId(), doomed, plan, gone, blocks), told);
        }
        feed(image, message(chunk, doomed));
        assertThat(told.told()).containsExactly(new Refused(chunk.index(), LinkRefusal.DESTINATION_UNWRITABLE));
        theNextGoodChunkArrives();
    }

    private void theNextGoodChunkArrives() {
        long before = listener.receivedCount();
        feed(image, message(chunk));
        assertThat(listener.receivedCount()).isEqualTo(before + 1);
        assertThat(Transfers.mismatch(chunk, from, blocks, to, blocks)).isEqualTo(-1);
    }

    private boolean isZero(ChunkSpec spec) {
        for (int i = 0; i < spec.blockCount(); i++) {
            long offset = to.offsetBytes(spec.layer(), blocks[spec.firstBlock() + i]);
            for (long at = 0; at < to.layerBlockBytes(); at++) {
                if (to.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, offset + at) != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private void feed(IncomingMessage into, UnsafeBuffer message) {
        int at = 0;
        while (at < message.capacity()) {
            int length = Math.min(FRAGMENT, message.capacity() - at);
            int flags = (at == 0 ? BEGIN_FRAG_FLAG : 0)
                    | (at + length == message.capacity() ? Byte.toUnsignedInt(END_FRAG_FLAG) : 0);
            receiver.fragment(into, message, at, length, (byte) flags);
            at += length;
        }
    }

    private UnsafeBuffer message(ChunkSpec spec) {
        return message(spec, fence);
    }

    private UnsafeBuffer message(ChunkSpec spec, Fence of) {
        UnsafeBuffer message = new UnsafeBuffer(
                ByteBuffer.allocateDirect(ChunkHeader.HEADER_BYTES + Math.toIntExact(spec.payloadBytes()))
                        .order(ByteOrder.LITTLE_ENDIAN));
        CRC32C crc = new CRC32C();
        for (int i = 0; i < spec.blockCount(); i++) {
            long offset = from.offsetBytes(spec.layer(), blocks[spec.firstBlock() + i]);
            KvMemory.updateCrc(crc, from, offset, from.layerBlockBytes());
            UnsafeBuffer block = new UnsafeBuffer(
                    KvMemory.address(from, offset, from.layerBlockBytes()), Math.toIntExact(from.layerBlockBytes()));
            message.putBytes(ChunkHeader.HEADER_BYTES + i * block.capacity(), block, 0, block.capacity());
        }
        ChunkHeader.encode(
                message, 0, of.transferId(), FenceWords.of(of), LINK_EPOCH, spec, plan.count(), (int) crc.getValue());
        return message;
    }
}
