package dev.baton.transfer.link.stream;

import static dev.baton.transfer.link.Transfers.DESTINATION;
import static dev.baton.transfer.link.Transfers.SOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.transfer.credit.CreditRefusal;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.ChunkListener;
import dev.baton.transfer.link.ExpectedTransfer;
import dev.baton.transfer.link.LinkConfig;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkMonitor;
import dev.baton.transfer.link.LinkPath;
import dev.baton.transfer.link.LinkSender;
import dev.baton.transfer.link.RecordingListener;
import dev.baton.transfer.link.SendChunk;
import dev.baton.transfer.link.SentChunk;
import dev.baton.transfer.link.Transfers;
import dev.baton.transfer.link.ffi.KvRegion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The credit gate over a transport that the test steps by hand, and over Aeron. */
@Timeout(30)
class ChunkSenderStreamTest {
    private static final int LAYERS = 4;
    private static final int BLOCKS = 8;
    private static final int[] TABLE = {0, 1, 2, 3, 4, 5, 6, 7};
    private static final ChunkPlan PLAN = Transfers.plan(LAYERS, BLOCKS * 16, 2);
    private static final long CHUNK_BYTES = PLAN.largestPayloadBytes();

    private static final ActorTestKit KIT = ActorTestKit.create("ChunkSenderStreamTest");

    private final Arena arena = Arena.ofShared();
    private final KvRegion from = Transfers.randomRegion(arena, LAYERS, BLOCKS, 1);
    private final Recorder recorder = new Recorder();
    private final ManualSender transport = new ManualSender();

    @AfterAll
    static void stopSystem() {
        KIT.shutdownTestKit();
    }

    @AfterEach
    void freeMemory() {
        arena.close();
    }

    private ChunkSenderStream stream(LinkSender sender, long windowBytes, int queueChunks) {
        return ChunkSenderStream.start(KIT.system(), sender, windowBytes, CHUNK_BYTES, queueChunks, recorder);
    }

    private SendChunk chunk(Fence fence, int index) {
        return new SendChunk(fence, fence.transferId(), PLAN, index, from, TABLE);
    }

    @Test
    void s0x06B_noChunkIsIssuedWithoutCreditAndEachReturnLetsOneMoreThrough() {
        Fence fence = Transfers.fence("r1");
        try (ChunkSenderStream stream = stream(transport, 2 * CHUNK_BYTES, 100)) {
            for (int i = 0; i < 5; i++) {
                assertThat(stream.offer(chunk(fence, i))).isEqualTo(Admission.QUEUED);
            }
            await().until(() -> transport.offered.size() == 2);
            transport.completeAll();
            await().until(() -> recorder.sent.size() == 2);
            // Sent is not visible: the credits are still out, so the third chunk must not move.
            assertThat(stream.credits().inflightBytes()).isEqualTo(2 * CHUNK_BYTES);
            assertThat(transport.offered).hasSize(2);

            assertThat(stream.creditReturned(fence.transferId(), 0)).isEmpty();
            await().until(() -> transport.offered.size() == 3);
            assertThat(stream.creditReturned(fence.transferId(), 0)).contains(CreditRefusal.ALREADY_RELEASED);
            assertThat(stream.credits().inflightBytes()).isEqualTo(2 * CHUNK_BYTES);
            assertThat(transport.offered).extracting(c -> c.chunk().index()).containsExactly(0, 1, 2);
        }
    }

    @Test
    void aWindowSmallerThanOneChunkIsRefusedAtStart() {
        assertThatThrownBy(() -> stream(transport, CHUNK_BYTES - 1, 100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("enlarge the window");
    }

    @Test
    void aFullQueueSaysSo() {
        Fence fence = Transfers.fence("r1");
        try (ChunkSenderStream stream = stream(transport, CHUNK_BYTES, 2)) {
            assertThat(stream.offer(chunk(fence, 0))).isEqualTo(Admission.QUEUED);
            await().until(() -> transport.offered.size() == 1);
            List<Admission> answers = new ArrayList<>();
            for (int i = 1; i < 8; i++) {
                answers.add(stream.offer(chunk(fence, i)));
            }
            assertThat(answers).contains(Admission.QUEUED).endsWith(Admission.QUEUE_FULL);
        }
    }

    @Test
    void aCancelledTransferLetsTheNextOnePassAndItsCreditsReturnAfterQuiescence() {
        Fence doomed = Transfers.fence("doomed");
        Fence next = Transfers.fence("next");
        try (ChunkSenderStream stream = stream(transport, CHUNK_BYTES, 100)) {
            stream.offer(chunk(doomed, 0));
            stream.offer(chunk(doomed, 1));
            stream.offer(chunk(next, 0));
            await().until(() -> transport.offered.size() == 1);

            CompletionStage<Long> released = stream.releaseAll(doomed.transferId());
            // The transport still reads: no credit may come back yet.
            await().until(() -> transport.cancels.containsKey(doomed.transferId()));
            assertThat(released.toCompletableFuture()).isNotDone();
            assertThat(stream.credits().inflightBytes()).isEqualTo(CHUNK_BYTES);
            assertThat(transport.offered).hasSize(1);

            transport.quiesce(doomed.transferId());
            assertThat(released.toCompletableFuture()
                            .orTimeout(5, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo(CHUNK_BYTES);
            await().until(() -> transport.offered.size() == 2);
            assertThat(transport.offered.get(1).transferId()).isEqualTo(next.transferId());
            assertThat(stream.offer(chunk(doomed, 2))).isEqualTo(Admission.TRANSFER_CANCELLED);
            await().until(() -> recorder.notSent.size() >= 1);
            assertThat(recorder.notSent)
                    .allSatisfy(n -> assertThat(n.transfer()).isEqualTo(doomed.transferId()));
        }
    }

    @Test
    void aFailedLinkReportsEveryWaitingChunkAndKeepsItsCreditsUntilReleased() {
        Fence fence = Transfers.fence("r1");
        try (ChunkSenderStream stream = stream(transport, 2 * CHUNK_BYTES, 100)) {
            for (int i = 0; i < 6; i++) {
                stream.offer(chunk(fence, i));
            }
            await().until(() -> transport.offered.size() == 2);
            transport.failAll(new LinkFailure(LinkFailure.Kind.NOT_CONNECTED, "gone"));

            await().until(() -> recorder.notSent.size() == 6);
            assertThat(recorder.failures).hasSize(1);
            assertThat(stream.offer(chunk(fence, 7))).isEqualTo(Admission.LINK_CLOSED);
            assertThat(stream.credits().inflightBytes()).isEqualTo(2 * CHUNK_BYTES);
            CompletionStage<Long> released = stream.releaseAll(fence.transferId());
            transport.quiesce(fence.transferId());
            assertThat(released.toCompletableFuture().join()).isEqualTo(2 * CHUNK_BYTES);
            assertThat(stream.credits().inflightBytes()).isZero();
            assertThat(stream.done().toCompletableFuture().orTimeout(5, TimeUnit.SECONDS))
                    .isCompleted();
        }
    }

    @Test
    void s0x06B_aWindowSmallerThanOnePromptProgressesWithAHundredTransfersAtOnce() {
        int transfers = 100;
        LinkConfig config = LinkConfig.forNode("stream").withBuffers(1 << 20, 65504, 256 * 1024);
        try (AeronDataPlane destination = AeronDataPlane.start(config, LinkMonitor.silent());
                AeronDataPlane source = AeronDataPlane.start(
                        config.withSharedDriver(destination.driverDirectory()), LinkMonitor.silent())) {
            LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
            assertThat(link.path()).isEqualTo(LinkPath.IPC);
            long windowBytes = 2 * CHUNK_BYTES;
            assertThat(windowBytes).isLessThan(PLAN.payloadBytes());
            try (ChunkSenderStream stream = stream(link, windowBytes, ChunkSenderStream.DEFAULT_QUEUE_CHUNKS)) {
                Map<TransferId, KvRegion> regions = new HashMap<>();
                List<Fence> fences = new ArrayList<>();
                RecordingListener visible = new RecordingListener() {
                    @Override
                    public void received(TransferId transfer, int chunkIndex, long payloadBytes, int crc) {
                        super.received(transfer, chunkIndex, payloadBytes, crc);
                        stream.creditReturned(transfer, chunkIndex);
                    }
                };
                for (int i = 0; i < transfers; i++) {
                    Fence fence = Transfers.fence("r" + i);
                    fences.add(fence);
                    KvRegion to = Transfers.region(arena, LAYERS, BLOCKS);
                    regions.put(fence.transferId(), to);
                    expect(destination, new ExpectedTransfer(fence.transferId(), fence, PLAN, to, TABLE), visible);
                }
                for (int index = 0; index < PLAN.count(); index++) {
                    for (Fence fence : fences) {
                        assertThat(stream.offer(chunk(fence, index))).isEqualTo(Admission.QUEUED);
                    }
                }
                await().until(() -> visible.receivedCount() == (long) transfers * PLAN.count());
                for (Fence fence : fences) {
                    KvRegion to = java.util.Objects.requireNonNull(regions.get(fence.transferId()));
                    assertThat(from.memory().mismatch(to.memory())).isEqualTo(-1);
                    stream.releaseAll(fence.transferId()).toCompletableFuture().join();
                }
                assertThat(stream.credits().highWaterBytes()).isLessThanOrEqualTo(windowBytes);
                assertThat(stream.credits().inflightBytes()).isZero();
                assertThat(stream.credits().openTransfers()).isZero();
                assertThat(destination.counters().refusedTotal()).isZero();
            }
        }
    }

    private static void expect(AeronDataPlane plane, ExpectedTransfer transfer, ChunkListener listener) {
        plane.expect(transfer, listener)
                .toCompletableFuture()
                .orTimeout(5, TimeUnit.SECONDS)
                .join();
    }

    /** Keeps what the stream reports. */
    private static final class Recorder implements ChunkSenderListener {
        record NotSent(TransferId transfer, int chunkIndex, LinkFailure why) {}

        final List<SentChunk> sent = new CopyOnWriteArrayList<>();
        final List<NotSent> notSent = new CopyOnWriteArrayList<>();
        final List<LinkFailure> failures = new CopyOnWriteArrayList<>();

        @Override
        public void sent(SentChunk chunk) {
            sent.add(chunk);
        }

        @Override
        public void notSent(TransferId transfer, int chunkIndex, LinkFailure why) {
            notSent.add(new NotSent(transfer, chunkIndex, why));
        }

        @Override
        public void linkFailed(LinkFailure failure) {
            failures.add(failure);
        }
    }

    /** A transport that does nothing until told. */
    private static final class ManualSender implements LinkSender {
        final List<SendChunk> offered = new CopyOnWriteArrayList<>();
        final Map<TransferId, CompletableFuture<Void>> cancels = new ConcurrentHashMap<>();
        private final List<CompletableFuture<SentChunk>> stages = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<SentChunk> offer(SendChunk chunk) {
            CompletableFuture<SentChunk> stage = new CompletableFuture<>();
            stages.add(stage);
            offered.add(chunk);
            return stage;
        }

        @Override
        public CompletionStage<Void> cancel(TransferId transfer) {
            return cancels.computeIfAbsent(transfer, id -> new CompletableFuture<>());
        }

        void completeAll() {
            for (int i = 0; i < offered.size(); i++) {
                SendChunk chunk = offered.get(i);
                stages.get(i)
                        .complete(new SentChunk(
                                chunk.transferId(),
                                chunk.chunk().index(),
                                0,
                                chunk.chunk().payloadBytes(),
                                0));
            }
        }

        void failAll(LinkFailure failure) {
            stages.forEach(stage -> stage.completeExceptionally(failure));
        }

        void quiesce(TransferId transfer) {
            cancels.computeIfAbsent(transfer, id -> new CompletableFuture<>()).complete(null);
        }

        @Override
        public LinkPath path() {
            return LinkPath.IPC;
        }

        @Override
        public void close() {
            failAll(new LinkFailure(LinkFailure.Kind.CLOSED, "closed"));
        }
    }
}
