package dev.baton.transfer.link.bench;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.ChunkListener;
import dev.baton.transfer.link.ExpectedTransfer;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.LinkRefusal;
import dev.baton.transfer.link.LinkSender;
import dev.baton.transfer.link.SendChunk;
import dev.baton.transfer.link.SentChunk;
import dev.baton.transfer.link.ffi.KvRegion;
import dev.baton.transfer.link.stream.Admission;
import dev.baton.transfer.link.stream.ChunkSenderListener;
import dev.baton.transfer.link.stream.ChunkSenderStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.ClassicActorSystemProvider;

/** Whole transfers over one link, as a worker makes them: credit stream, Aeron, header checks, both checksums. */
final class BenchTransfer implements AutoCloseable {
    private static final WorkerEpoch SOURCE = new WorkerEpoch(1);
    private static final WorkerEpoch DESTINATION = new WorkerEpoch(2);
    private static final long DEADLINE_SECONDS = 120;

    private final AeronDataPlane destination;
    private final ChunkPlan plan;
    private final KvRegion from;
    private final KvRegion to;
    private final int[] blocks;
    private final ChunkSenderStream stream;
    private CompletableFuture<Void> running = new CompletableFuture<>();
    private int number;

    BenchTransfer(
            ClassicActorSystemProvider system,
            AeronDataPlane source,
            AeronDataPlane destination,
            ChunkPlan plan,
            KvRegion from,
            KvRegion to,
            int[] blocks,
            long windowBytes) {
        this.destination = destination;
        this.plan = plan;
        this.from = from;
        this.to = to;
        this.blocks = blocks;
        LinkSender link = source.link(SOURCE, destination.endpoint(), DESTINATION);
        this.stream = ChunkSenderStream.start(
                system,
                link,
                windowBytes,
                plan.largestPayloadBytes(),
                ChunkSenderStream.DEFAULT_QUEUE_CHUNKS,
                new FailFast());
    }

    /** Moves the plan once; nanoseconds from the first offer to the last verified chunk. */
    long runNanos() {
        number++;
        Fence fence = new Fence(
                new TenantId("bench"),
                new RequestId("bench-" + number),
                new Generation(1),
                Attempt.FIRST,
                SOURCE,
                DESTINATION,
                new ReservationId(number));
        TransferId id = fence.transferId();
        running = new CompletableFuture<>();
        CompletableFuture<Void> done = running;
        destination
                .expect(new ExpectedTransfer(id, fence, plan, to, blocks), new Visible(done))
                .toCompletableFuture()
                .join();
        long startNanos = System.nanoTime();
        for (int index = 0; index < plan.count(); index++) {
            Admission admission = stream.offer(new SendChunk(fence, id, plan, index, from, blocks));
            if (admission != Admission.QUEUED) {
                throw new IllegalStateException("chunk " + index + " was not queued: " + admission);
            }
        }
        done.orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).join();
        long nanos = System.nanoTime() - startNanos;
        stream.releaseAll(id).toCompletableFuture().join();
        destination.forget(id).toCompletableFuture().join();
        return nanos;
    }

    @Override
    public void close() {
        stream.close();
    }

    private final class Visible implements ChunkListener {
        private final CompletableFuture<Void> done;
        private final AtomicInteger missing = new AtomicInteger(plan.count());

        Visible(CompletableFuture<Void> done) {
            this.done = done;
        }

        @Override
        public void received(TransferId transfer, int chunkIndex, long payloadBytes, int crc) {
            // Host memory: received is DEVICE_VISIBLE.
            stream.creditReturned(transfer, chunkIndex);
            if (missing.decrementAndGet() == 0) {
                done.complete(null);
            }
        }

        @Override
        public void duplicate(TransferId transfer, int chunkIndex, int crc, boolean sameBytes) {
            done.completeExceptionally(new IllegalStateException("chunk " + chunkIndex + " came twice"));
        }

        @Override
        public void refused(TransferId transfer, int chunkIndex, LinkRefusal reason) {
            done.completeExceptionally(new IllegalStateException("chunk " + chunkIndex + " was refused: " + reason));
        }
    }

    private final class FailFast implements ChunkSenderListener {
        @Override
        public void sent(SentChunk chunk) {
            // The receiver's side ends the measurement.
        }

        @Override
        public void notSent(TransferId transfer, int chunkIndex, LinkFailure why) {
            running.completeExceptionally(why);
        }

        @Override
        public void linkFailed(LinkFailure failure) {
            running.completeExceptionally(failure);
        }
    }
}
