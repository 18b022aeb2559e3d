package dev.baton.transfer.link;

import static dev.baton.transfer.link.Transfers.DESTINATION;
import static dev.baton.transfer.link.Transfers.SOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.transfer.link.ChunkHeader.FenceWords;
import dev.baton.transfer.link.ffi.KvRegion;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import java.lang.foreign.Arena;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Garbage and half-right headers on the real stream of a data plane. */
@Timeout(30)
class LinkFuzzTest {
    private static final int MESSAGES = 4_000;
    private static final long SEED = 20261201;

    @Test
    void s0x01A_garbageWritesNothingIsCountedAndTheNextChunkArrives() {
        Random random = new Random(SEED);
        ChunkPlan plan = Transfers.plan(2, 100, 1);
        Fence fence = Transfers.fence("r1");
        int[] blocks = {6, 0, 3, 5, 1, 2, 4};
        RecordingListener listener = new RecordingListener();
        try (Arena arena = Arena.ofShared();
                AeronDataPlane plane = AeronDataPlane.start(AeronDataPlaneTest.config("fuzz"), LinkMonitor.silent())) {
            KvRegion from = Transfers.randomRegion(arena, 2, 7, 1);
            KvRegion to = Transfers.region(arena, 2, 7);
            plane.expect(new ExpectedTransfer(fence.transferId(), fence, plan, to, blocks), listener)
                    .toCompletableFuture()
                    .join();
            try (Aeron aeron = Aeron.connect(new Aeron.Context()
                            .aeronDirectoryName(plane.driverDirectory().toString()));
                    ExclusivePublication raw = aeron.addExclusivePublication(
                            "aeron:ipc", plane.endpoint().streamId())) {
                for (int i = 0; i < MESSAGES; i++) {
                    UnsafeBuffer message =
                            message(random, plan, fence, plane.endpoint().linkEpoch());
                    await().pollDelay(java.time.Duration.ZERO)
                            .pollInterval(java.time.Duration.ofNanos(100_000))
                            .until(() -> raw.offer(message, 0, message.capacity()) > 0);
                }
            }
            await().until(() -> plane.counters().refusedTotal() >= MESSAGES);
            assertThat(plane.counters().refusedTotal()).isEqualTo(MESSAGES);
            assertThat(plane.counters().chunksReceived()).isZero();
            assertThat(Transfers.isAllZero(to)).isTrue();

            LinkSender link = plane.link(SOURCE, plane.endpoint(), DESTINATION);
            plan.chunks()
                    .forEach(c -> link.offer(new SendChunk(fence, fence.transferId(), plan, c.index(), from, blocks)));
            await().until(() -> listener.receivedCount() == plan.count());
            assertThat(plan.chunks()).allMatch(c -> Transfers.mismatch(c, from, blocks, to, blocks) == -1);
        }
    }

    /** Random bytes, or a good header with one to three flipped bits before or after sealing; always of random length. */
    private static UnsafeBuffer message(Random random, ChunkPlan plan, Fence fence, long linkEpoch) {
        int length = random.nextInt(3_000);
        byte[] bytes = new byte[Math.max(length, ChunkHeader.HEADER_BYTES)];
        random.nextBytes(bytes);
        UnsafeBuffer message = new UnsafeBuffer(bytes);
        if (random.nextBoolean()) {
            int index = random.nextInt(plan.count());
            ChunkHeader.encode(
                    message,
                    0,
                    fence.transferId(),
                    FenceWords.of(fence),
                    linkEpoch,
                    plan.chunk(index),
                    plan.count(),
                    1);
            // Distinct bytes, so that flips can't cancel each other; the payload CRC alone would pass the header
            // checks.
            int first = random.nextInt(ChunkHeader.PAYLOAD_CRC_AT);
            message.putByte(first, (byte) (message.getByte(first) ^ (1 << random.nextInt(8))));
            if (random.nextBoolean()) {
                int second = ChunkHeader.PAYLOAD_BYTES_AT + random.nextInt(Long.BYTES);
                message.putByte(second, (byte) (message.getByte(second) ^ (1 << random.nextInt(8))));
            }
            if (random.nextBoolean()) {
                ChunkHeader.sealCrc(message, 0);
            }
        }
        return new UnsafeBuffer(message, 0, length);
    }
}
