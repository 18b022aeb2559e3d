package dev.baton.scheduler;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.manifest.Placement;
import dev.baton.contract.manifest.RequestIdentity;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.scheduler.request.RequestSpec;
import dev.baton.scheduler.request.Vocabulary;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import dev.baton.scheduler.worker.WorkerReport;
import dev.baton.transfer.link.DataEndpoint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Small valid values. */
public final class Samples {
    public static final TenantId TENANT = new TenantId("tenant");
    public static final RequestId REQUEST = new RequestId("request-1");
    public static final ModelId MODEL = new ModelId("house");
    public static final DataEndpoint ENDPOINT = new DataEndpoint("driver", "127.0.0.1", 9000, 1, 7);
    public static final int END = 2;
    public static final TensorAbi ABI =
            new TensorAbi(ElementType.values()[0], AxisOrder.values()[0], 2, 2, 8, 16, Partition.WHOLE);
    public static final ModelIdentity IDENTITY = new ModelIdentity(
            MODEL, digest("weights"), digest("tokenizer"), digest(""), digest("rope"), digest("causal"), "reference-1");

    /** Token {@code n} is the n-th character; {@link #END} ends. */
    public static final Vocabulary LETTERS = new Vocabulary() {
        @Override
        public byte[] bytes(int token) {
            return token == END ? new byte[0] : Character.toString(token).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public List<Integer> endTokens() {
            return List.of(END);
        }
    };

    private Samples() {}

    public static Digest digest(String content) {
        return Digest.sha256(content.getBytes(StandardCharsets.UTF_8));
    }

    public static RequestSpec spec(int choices, int maxTokens, String... stops) {
        return new RequestSpec(
                TENANT,
                REQUEST,
                MODEL,
                List.of(10, 11, 12),
                maxTokens,
                choices,
                List.of(stops),
                false,
                SamplingParams.plain(0.5f, 42),
                false,
                1_000_000,
                60_000);
    }

    public static <T> ActorRef<T> nobody(ActorSystem<?> system) {
        return system.<T>ignoreRef();
    }

    /** A system of its own for tests of pure code that only pass references around. */
    public static ActorSystem<Void> quietSystem() {
        return ActorSystem.create(Behaviors.empty(), "samples");
    }

    public static WorkerRef worker(
            String name,
            long epoch,
            ActorRef<PrefillProtocol.Command> prefill,
            ActorRef<DecodeProtocol.Command> decode) {
        return new WorkerRef(new WorkerId(name), new WorkerEpoch(epoch), RoleEpoch.FIRST, prefill, decode);
    }

    public static WorkerRef worker(String name, long epoch, ActorSystem<?> system) {
        return worker(name, epoch, nobody(system), nobody(system));
    }

    public static WorkerReport report(WorkerRef ref, Role role, long sequence, long prefillTokens, int free) {
        return new WorkerReport(
                ref,
                MODEL,
                role,
                sequence,
                "pekko://baton@127.0.0.1:" + ref.worker(),
                prefillTokens,
                0,
                free,
                100,
                512,
                ABI,
                IDENTITY);
    }

    public static Fence fence(long generation, long attempt, long source, long destination, long reservation) {
        return new Fence(
                TENANT,
                REQUEST,
                new Generation(generation),
                new Attempt(attempt),
                new WorkerEpoch(source),
                new WorkerEpoch(destination),
                new ReservationId(reservation));
    }

    public static HandoffManifest manifest(Fence fence, int promptTokens) {
        return new HandoffManifest(
                new RequestIdentity(
                        fence.tenant(),
                        fence.request(),
                        fence.generation(),
                        fence.attempt(),
                        digest("prompt"),
                        new TokenInterval(0, promptTokens),
                        promptTokens),
                IDENTITY,
                ABI,
                new Placement(
                        new WorkerId("p"),
                        fence.sourceEpoch(),
                        new WorkerId("d"),
                        fence.destinationEpoch(),
                        fence.reservation(),
                        fence.transferId(),
                        "ipc"),
                1 << 20);
    }
}
