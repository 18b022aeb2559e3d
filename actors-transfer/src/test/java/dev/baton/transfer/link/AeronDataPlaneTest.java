package dev.baton.transfer.link;

import static dev.baton.transfer.link.Transfers.DESTINATION;
import static dev.baton.transfer.link.Transfers.SOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.link.RecordingListener.Duplicate;
import dev.baton.transfer.link.RecordingListener.Received;
import dev.baton.transfer.link.ffi.KvRegion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The data plane over real Aeron, two planes in one JVM: on one driver (IPC) and on two (UDP loopback). */
@Timeout(30)
class AeronDataPlaneTest {
    private static final int LAYERS = 12;
    private static final int BLOCKS = 64;
    private static final int PROMPT_BLOCKS = 40;
    private static final int PROMPT_TOKENS = PROMPT_BLOCKS * 16 - 5;

    private final Arena arena = Arena.ofShared();
    private final List<AeronDataPlane> planes = new ArrayList<>();

    @AfterEach
    void closeAll() {
        for (int i = planes.size() - 1; i >= 0; i--) {
            planes.get(i).close();
        }
        arena.close();
    }

    static LinkConfig config(String name) {
        return LinkConfig.forNode(name)
                .withBuffers(1 << 20, 65504, 256 * 1024)
                .withDeadlines(
                        Duration.ofMillis(800), Duration.ofMillis(800), Duration.ofSeconds(20), Duration.ofSeconds(1));
    }

    private AeronDataPlane start(LinkConfig config) {
        AeronDataPlane plane = AeronDataPlane.start(config, LinkMonitor.silent());
        planes.add(plane);
        return plane;
    }

    private AeronDataPlane peer(AeronDataPlane of, LinkPath path, String name) {
        return start(
                switch (path) {
                    case IPC -> config(name).withSharedDriver(of.driverDirectory());
                    case UDP -> config(name);
                });
    }

    private static Path parentOf(AeronDataPlane plane) {
        return java.util.Objects.requireNonNull(plane.driverDirectory().getParent());
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** Completes exceptionally with what? */
    private static LinkFailure.Kind failureOf(CompletionStage<?> stage) {
        try {
            get(stage);
        } catch (CompletionException e) {
            if (e.getCause() instanceof LinkFailure failure) {
                return failure.kind();
            }
            throw e;
        }
        throw new AssertionError("the stage did not fail");
    }

    @ParameterizedTest
    @EnumSource(LinkPath.class)
    void s0x06A_everyChunkArrivesByteIdenticalInScatteredBlocks(LinkPath path) {
        AeronDataPlane destination = start(config("d"));
        AeronDataPlane source = peer(destination, path, "s");
        ChunkPlan plan = Transfers.plan(LAYERS, PROMPT_TOKENS, 2);
        KvRegion from = Transfers.randomRegion(arena, LAYERS, BLOCKS, 1);
        KvRegion to = Transfers.region(arena, LAYERS, BLOCKS);
        int[] fromBlocks = Transfers.scattered(PROMPT_BLOCKS, BLOCKS, 2);
        int[] toBlocks = Transfers.scattered(PROMPT_BLOCKS, BLOCKS, 3);
        Fence fence = Transfers.fence("r1");
        RecordingListener listener = new RecordingListener();
        get(destination.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, toBlocks), listener));

        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
        assertThat(link.path()).isEqualTo(path);
        List<ChunkSpec> order = new ArrayList<>(plan.chunks());
        Collections.shuffle(order, new Random(5));
        List<CompletionStage<SentChunk>> sent = order.stream()
                .map(c -> link.offer(new SendChunk(fence, fence.transferId(), plan, c.index(), from, fromBlocks)))
                .toList();
        int[] crcs = new int[plan.count()];
        for (CompletionStage<SentChunk> stage : sent) {
            SentChunk chunk = get(stage);
            crcs[chunk.chunkIndex()] = chunk.crc();
            assertThat(chunk.wireBytes())
                    .isEqualTo(plan.chunk(chunk.chunkIndex()).payloadBytes() + ChunkHeader.HEADER_BYTES);
        }
        await().until(() -> listener.receivedCount() == plan.count());

        assertThat(plan.count()).isGreaterThan(200);
        assertThat(listener.told()).hasSize(plan.count()).allSatisfy(told -> {
            Received received = (Received) told;
            assertThat(received.crc()).isEqualTo(crcs[received.chunkIndex()]);
        });
        assertThat(plan.chunks()).allMatch(chunk -> Transfers.mismatch(chunk, from, fromBlocks, to, toBlocks) == -1);
        assertThat(destination.counters().payloadBytesReceived()).isEqualTo(plan.payloadBytes());
        assertThat(destination.counters().refusedTotal()).isZero();
        assertThat(source.counters().pendingChunks()).isZero();
    }

    @ParameterizedTest
    @EnumSource(LinkPath.class)
    void s0x06A_aRepeatedChunkIsToldAndNotRewritten(LinkPath path) {
        AeronDataPlane destination = start(config("d"));
        AeronDataPlane source = peer(destination, path, "s");
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        KvRegion other = Transfers.randomRegion(arena, 1, 4, 2);
        KvRegion to = Transfers.region(arena, 1, 4);
        int[] blocks = {0, 1, 2, 3};
        Fence fence = Transfers.fence("r1");
        RecordingListener listener = new RecordingListener();
        get(destination.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, blocks), listener));
        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);

        for (KvRegion region : List.of(from, from, other)) {
            get(link.offer(new SendChunk(fence, fence.transferId(), plan, 0, region, blocks)));
        }
        await().until(() -> listener.told().size() == 3);

        int crc = ((Received) listener.told().getFirst()).crc();
        assertThat(listener.told().get(1)).isEqualTo(new Duplicate(0, crc, true));
        assertThat(((Duplicate) listener.told().get(2)).sameBytes()).isFalse();
        assertThat(Transfers.mismatch(plan.chunk(0), from, blocks, to, blocks)).isEqualTo(-1);
    }

    @Test
    void afterForgetHasCompletedNoByteIsWritten() {
        AeronDataPlane destination = start(config("d"));
        AeronDataPlane source = peer(destination, LinkPath.IPC, "s");
        ChunkPlan plan = Transfers.plan(LAYERS, PROMPT_TOKENS, 4);
        KvRegion from = Transfers.randomRegion(arena, LAYERS, BLOCKS, 1);
        KvRegion to = Transfers.region(arena, LAYERS, BLOCKS);
        int[] blocks = Transfers.scattered(PROMPT_BLOCKS, BLOCKS, 3);
        Fence fence = Transfers.fence("r1");
        RecordingListener listener = new RecordingListener();
        get(destination.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, blocks), listener));
        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
        List<CompletionStage<SentChunk>> sent = plan.chunks().stream()
                .map(c -> link.offer(new SendChunk(fence, fence.transferId(), plan, c.index(), from, blocks)))
                .toList();
        await().until(() -> listener.receivedCount() >= 3);

        get(destination.forget(fence.transferId()));
        to.memory().fill((byte) 0);
        long told = listener.told().size();
        sent.forEach(AeronDataPlaneTest::get);
        long sentBefore = plan.count() - told;
        await().until(() -> destination.counters().refused(LinkRefusal.UNKNOWN_TRANSFER)
                        + destination.counters().refused(LinkRefusal.INTERRUPTED)
                == sentBefore);

        assertThat(Transfers.isAllZero(to)).isTrue();
        assertThat(listener.told()).hasSize((int) told);
        assertThat(destination.counters().expectedTransfers()).isZero();
    }

    @Test
    void afterCancelHasCompletedNoSourceByteIsRead() {
        AeronDataPlane gone = start(config("gone"));
        DataEndpoint nobody = gone.endpoint();
        gone.close();
        Duration long20 = Duration.ofSeconds(20);
        AeronDataPlane source = start(config("s").withDeadlines(long20, long20, long20, Duration.ofSeconds(1)));
        ChunkPlan plan = Transfers.plan(1, 64, 1);
        int[] blocks = {0, 1, 2, 3};
        Fence cancelled = Transfers.fence("cancelled");
        Fence kept = Transfers.fence("kept");
        LinkSender link = source.link(SOURCE, nobody, DESTINATION);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        CompletionStage<SentChunk> dropped;
        CompletionStage<SentChunk> waits;
        try (Arena freed = Arena.ofShared()) {
            KvRegion doomed = Transfers.randomRegion(freed, 1, 4, 2);
            dropped = link.offer(new SendChunk(cancelled, cancelled.transferId(), plan, 0, doomed, blocks));
            waits = link.offer(new SendChunk(kept, kept.transferId(), plan, 1, from, blocks));
            get(link.cancel(cancelled.transferId()));
        }

        assertThat(failureOf(dropped)).isEqualTo(LinkFailure.Kind.CANCELLED);
        assertThat(source.counters().pendingChunks()).isOne();
        link.close();
        assertThat(failureOf(waits)).isEqualTo(LinkFailure.Kind.CLOSED);
        assertThat(source.counters().pendingChunks()).isZero();
    }

    @ParameterizedTest
    @EnumSource(LinkPath.class)
    void aRestartedReceiverRefusesTheOldLinkEpoch(LinkPath path) {
        AeronDataPlane driverOwner = start(config("x"));
        AeronDataPlane source = peer(driverOwner, path, "s");
        AeronDataPlane restarted = peer(driverOwner, path, "d");
        DataEndpoint now = restarted.endpoint();
        DataEndpoint before =
                new DataEndpoint(now.driverId(), now.udpHost(), now.udpPort(), now.streamId(), now.linkEpoch() ^ 1);
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        KvRegion to = Transfers.region(arena, 1, 4);
        int[] blocks = {3, 1, 0, 2};
        Fence fence = Transfers.fence("r1");
        RecordingListener listener = new RecordingListener();
        get(restarted.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, blocks), listener));

        LinkSender stale = source.link(SOURCE, before, DESTINATION);
        get(stale.offer(new SendChunk(fence, fence.transferId(), plan, 0, from, blocks)));
        await().until(() -> restarted.counters().refused(LinkRefusal.LINK_EPOCH) == 1);
        assertThat(Transfers.isAllZero(to)).isTrue();

        LinkSender fresh = source.link(SOURCE, now, DESTINATION);
        get(fresh.offer(new SendChunk(fence, fence.transferId(), plan, 0, from, blocks)));
        await().until(() -> listener.receivedCount() == 1);
        assertThat(Transfers.mismatch(plan.chunk(0), from, blocks, to, blocks)).isEqualTo(-1);
    }

    @Test
    void aLinkToNobodyFailsByItsDeadlineAndTheNextOneWorks() {
        AeronDataPlane source = start(config("s"));
        AeronDataPlane gone = start(config("gone"));
        DataEndpoint nobody = gone.endpoint();
        gone.close();
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        int[] blocks = {3, 1, 0, 2};
        Fence fence = Transfers.fence("r1");

        LinkSender link = source.link(SOURCE, nobody, DESTINATION);
        SendChunk chunk = new SendChunk(fence, fence.transferId(), plan, 0, from, blocks);
        assertThat(failureOf(link.offer(chunk))).isEqualTo(LinkFailure.Kind.NOT_CONNECTED);
        assertThat(failureOf(link.offer(chunk))).isEqualTo(LinkFailure.Kind.NOT_CONNECTED);

        AeronDataPlane destination = start(config("d"));
        get(source.link(SOURCE, destination.endpoint(), DESTINATION).offer(chunk));
    }

    @Test
    void aPeerThatDiesFailsTheLink() {
        AeronDataPlane source = start(config("s"));
        AeronDataPlane destination = start(config("d"));
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        Fence fence = Transfers.fence("r1");
        SendChunk chunk = new SendChunk(fence, fence.transferId(), plan, 0, from, new int[] {3, 1, 0, 2});
        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
        get(link.offer(chunk));

        destination.close();
        // Until Aeron notices, the transport takes copies that nobody will read; that is why deadlines end transfers.
        await().until(() -> link.offer(chunk)
                .toCompletableFuture()
                .handle((sent, e) -> e != null)
                .get(5, TimeUnit.SECONDS));
        assertThat(failureOf(link.offer(chunk))).isIn(LinkFailure.Kind.NOT_CONNECTED, LinkFailure.Kind.BACK_PRESSURE);
    }

    @Test
    void aChunkOfAnotherEpochIsNotTakenByTheLink() {
        AeronDataPlane source = start(config("s"));
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        Fence fence = Transfers.fence("r1");
        LinkSender link = source.link(SOURCE, source.endpoint(), SOURCE);

        SendChunk chunk = new SendChunk(fence, fence.transferId(), plan, 0, from, new int[] {0, 1, 2, 3});
        assertThat(failureOf(link.offer(chunk))).isEqualTo(LinkFailure.Kind.WRONG_LINK);
    }

    @Test
    void aLostDriverIsReportedAndEveryWaitEnds() {
        AeronDataPlane owner = start(config("owner"));
        AtomicReference<@org.jspecify.annotations.Nullable LinkFailure> told = new AtomicReference<>();
        LinkConfig shortTimeouts = new LinkConfig(
                "c",
                java.util.Optional.of(owner.driverDirectory()),
                "127.0.0.1",
                0,
                1 << 20,
                65504,
                256 * 1024,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofSeconds(20),
                Duration.ofSeconds(1),
                Duration.ofMillis(1500),
                Duration.ofMillis(1));
        AeronDataPlane client = AeronDataPlane.start(shortTimeouts, new LinkMonitor() {
            @Override
            public void refused(LinkRefusal reason) {}

            @Override
            public void failed(LinkFailure failure) {
                told.set(failure);
            }
        });
        planes.add(client);
        owner.close();

        await().atMost(Duration.ofSeconds(8)).until(() -> told.get() != null);
        assertThat(told.get()).extracting(LinkFailure::kind).isEqualTo(LinkFailure.Kind.DRIVER_LOST);
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion region = Transfers.region(arena, 1, 4);
        int[] blocks = {0, 1, 2, 3};
        Fence fence = Transfers.fence("r1");
        assertThat(failureOf(client.expect(
                        new ExpectedTransfer(fence.transferId(), fence, plan, region, blocks),
                        new RecordingListener())))
                .isEqualTo(LinkFailure.Kind.DRIVER_LOST);
        assertThat(failureOf(client.link(SOURCE, owner.endpoint(), DESTINATION)
                        .offer(new SendChunk(fence, fence.transferId(), plan, 0, region, blocks))))
                .isEqualTo(LinkFailure.Kind.DRIVER_LOST);
        get(client.forget(fence.transferId()));
    }

    @Test
    void closeEndsEveryWaitAndLeavesNoFile() throws IOException {
        AeronDataPlane source = start(config("leftover"));
        AeronDataPlane destination = start(config("leftover"));
        ChunkPlan plan = Transfers.plan(1, 64, 4);
        KvRegion from = Transfers.randomRegion(arena, 1, 4, 1);
        Fence fence = Transfers.fence("r1");
        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
        SendChunk chunk = new SendChunk(fence, fence.transferId(), plan, 0, from, new int[] {3, 1, 0, 2});
        get(link.offer(chunk));
        Path parent = parentOf(source);
        assertThat(source.driverDirectory()).isNotEqualTo(destination.driverDirectory());

        source.close();
        destination.close();

        assertThat(failureOf(link.offer(chunk))).isEqualTo(LinkFailure.Kind.CLOSED);
        get(link.cancel(fence.transferId()));
        get(destination.forget(fence.transferId()));
        try (var files = Files.list(parent)) {
            assertThat(files.filter(p -> p.getFileName().toString().startsWith("baton-link-leftover-")))
                    .isEmpty();
        }
    }

    @Test
    void aKilledProcessLeavesADirectoryThatTheNextStartRemoves() throws IOException {
        Path parent = parentOf(start(config("probe")));
        Path abandoned = Files.createDirectory(parent.resolve("baton-link-swept-999999999-1"));
        Files.writeString(abandoned.resolve("cnc.dat.old"), "left behind");
        Path living = Files.createDirectory(
                parent.resolve("baton-link-swept-" + ProcessHandle.current().pid() + "-1"));

        start(config("swept"));

        assertThat(abandoned).doesNotExist();
        assertThat(living).exists();
        Files.delete(living);
    }

    @Test
    void numbersThatCannotWorkAreRefusedAtStart() {
        LinkConfig good = config("d");
        assertThatThrownBy(() -> good.withBuffers(1_000_000, 65504, 65504)).hasMessageContaining("power of two");
        assertThatThrownBy(() -> good.withBuffers(1 << 20, 1500, 65504)).hasMessageContaining("multiple of 32");
        assertThatThrownBy(() -> good.withBuffers(1 << 20, 65504, 1 << 20)).hasMessageContaining("half a term");
        assertThat(good.maxChunkPayloadBytes()).isEqualTo((1 << 17) - ChunkHeader.HEADER_BYTES);
    }
}
