package dev.baton.decode.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.ModelId;
import dev.baton.contract.manifest.Digests;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.kernels.arena.KvType;
import dev.baton.kernels.device.Device;
import dev.baton.kernels.device.DeviceConfig;
import dev.baton.kernels.device.Model;
import dev.baton.kernels.model.gguf.GgufModel;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.scheduler.mls.actor.WorkerAssembly;
import dev.baton.scheduler.mls.actor.WorkerConfig;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.transfer.link.AeronDataPlane;
import dev.baton.transfer.link.DataPlane;
import dev.baton.transfer.link.LinkConfig;
import dev.baton.transfer.link.LinkMonitor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded model through a real handoff: native kernels, K/V arenas, Aeron. */
class HouseModelHandoffTest {
    private static final ActorTestKit KIT = ActorTestKit.create();
    private static final RequestDriver REQUESTS = new RequestDriver();
    private static final int BLOCKS = 256;

    @TempDir
    static Path folder;

    private static Device device;
    private static Model model;
    private static DataPlane plane;
    private static WorkerRig prefill;
    private static WorkerRig decode;

    @BeforeAll
    static void begin() throws IOException {
        Path file = folder.resolve("house-q8_0.gguf");
        try (InputStream in = Objects.requireNonNull(
                GgufModel.class.getResourceAsStream("/dev/baton/models/house-q8_0.gguf"), "the embedded model")) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        device = Device.open(DeviceConfig.auto(1));
        try (GgufModel gguf = GgufModel.open(file)) {
            model = Model.upload(device, gguf);
        }
        plane = AeronDataPlane.start(LinkConfig.forNode("house-test"), LinkMonitor.silent());
        prefill = rig("prefill", 1);
        decode = rig("decode", 2);
    }

    @AfterAll
    static void end() {
        plane.close();
        prefill.close();
        decode.close();
        model.close();
        device.close();
        KIT.shutdownTestKit();
    }

    private static WorkerRig rig(String name, long epoch) {
        Digest some = Digests.ofText("house");
        ModelIdentity identity = new ModelIdentity(
                new ModelId("house"), some, some, Digests.NONE, some, Digests.CAUSAL_MASK, device.numericsIdentity());
        return WorkerRig.of(
                KIT,
                name,
                epoch,
                parts -> WorkerAssembly.start(
                        parts.worker(),
                        parts.epoch(),
                        parts.role(),
                        model,
                        identity,
                        WorkerConfig.small(BLOCKS),
                        KvType.F32,
                        plane,
                        64 << 10,
                        REQUESTS,
                        parts.fenceWorker(),
                        parts.metrics()));
    }

    private static List<List<Integer>> answers(String name, DecodeSpec spec, WorkerRig source) {
        RequestDriver.Run run = REQUESTS.start(name, spec, source.ref(), decode.ref());
        await(name)
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(2))
                .until(run::isReleased);
        assertThat(run.failures()).isEmpty();
        assertThat(run.refusals()).isEmpty();
        return run.answers();
    }

    @Test
    void s0x00E_theEmbeddedModelAnswersTheSameHandedOffAndColocated() {
        Random random = new Random(2);
        for (int promptTokens : new int[] {1, 15, 16, 17, 100, 300}) {
            List<Integer> prompt = IntStream.range(0, promptTokens)
                    .mapToObj(i -> random.nextInt(model.config().vocabulary()))
                    .toList();
            SamplingParams sampling = promptTokens % 2 == 0
                    ? SamplingParams.greedy()
                    : SamplingParams.plain(1.2f, 9).withCuts(20, 0.95f, 0);
            DecodeSpec spec = new DecodeSpec(prompt, Collections.nCopies(3, List.of()), 24, List.of(), sampling);
            assertThat(answers("handoff-" + promptTokens, spec, prefill))
                    .as("prompt of %d", promptTokens)
                    .isEqualTo(answers("colocated-" + promptTokens, spec, decode));
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> prefill.isIdle() && decode.isIdle());
    }

    @Test
    void s0x10_everyReferenceAnswerComesOutOfARealHandoff() throws IOException {
        Optional<Path> reference = shared("models/house/reference_answers.json");
        assumeTrue(reference.isPresent(), "no ../shared/models/house/reference_answers.json here");
        int number = 0;
        for (JsonNode answer :
                new ObjectMapper().readTree(reference.orElseThrow().toFile())) {
            List<Integer> expected = ids(answer.get("out"));
            DecodeSpec spec = new DecodeSpec(
                    ids(answer.get("ids")), List.of(List.of()), expected.size(), List.of(), SamplingParams.greedy());
            assertThat(answers("reference-" + number++, spec, prefill).getFirst())
                    .as(answer.get("q").asText())
                    .isEqualTo(expected);
        }
        assertThat(number).isEqualTo(60);
    }

    private static List<Integer> ids(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asInt)
                .toList();
    }

    private static Optional<Path> shared(String file) {
        String named = System.getProperty("baton.shared", System.getenv("BATON_SHARED"));
        if (named != null) {
            return Optional.of(Path.of(named, file)).filter(Files::isRegularFile);
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path candidate = at.resolveSibling("shared").resolve(file);
            if (Files.isRegularFile(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }
}
