package dev.baton.runtime.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.cli.Baton;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.RequestSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * §0x10 between processes: the cluster that {@code baton up} starts, a process per node with a media driver of its own, gives over
 * HTTP the bytes that one colocated worker in this process gives. {@code -Dbaton.cluster.workers=2} takes two of each role,
 * {@code -Dbaton.equality.requests=200} sends more.
 */
class ClusterEqualityTest {

    private static final long SEED = 77;
    private static final int REQUESTS = Integer.getInteger("baton.equality.requests", 16);
    private static final int WORKERS = Integer.getInteger("baton.cluster.workers", 1);
    private static final long START_SECONDS = 150;
    private static final Pattern READY = Pattern.compile("ready: http://127\\.0\\.0\\.1:(\\d+)");

    @Test
    void s0x10_processesGiveTheBytesOfOneWorker(@TempDir Path home) throws Exception {
        List<ObjectNode> bodies = new ArrayList<>();
        List<JsonNode> expected;
        try (Node node = Nodes.colocated(ConfigFactory.parseString("baton.model.name = house"));
                Api api = new Api(node.httpPort())) {
            for (int i = 0; i < REQUESTS; i++) {
                bodies.add(body(RandomRequests.at(node, SEED, i)));
            }
            expected = answers(api, bodies, 1, new ArrayList<>());
        }
        List<String> ids = new ArrayList<>();
        try (Cluster cluster = Cluster.up(home);
                Api api = new Api(cluster.port)) {
            assertThat(answers(api, bodies, 8, ids)).isEqualTo(expected);
            Map<String, Set<String>> workers = published(api, ids);
            assertThat(workers.get("transfer-source")).as("prefill workers").hasSize(WORKERS);
            assertThat(workers.get("transfer-destination")).as("decode workers").hasSize(WORKERS);
            System.out.println("cluster equality: " + REQUESTS + " requests equal, by " + workers);
        }
    }

    /** Who adopted a publication, or its acknowledgement, by machine. A request of one token ends before there is any. */
    private static Map<String, Set<String>> published(Api api, List<String> ids) {
        Map<String, Set<String>> workers = new TreeMap<>();
        for (String id : ids) {
            JsonNode trace = api.get("/admin/v1/requests/" + id + "/trace").ok();
            trace.get("transitions").forEach(transition -> {
                String to = transition.get("to").asText();
                if (to.equals("Published") || to.equals("Released")) {
                    workers.computeIfAbsent(transition.get("machine").asText(), _ -> new TreeSet<>())
                            .add(transition.get("where").asText());
                }
            });
        }
        return workers;
    }

    private static List<JsonNode> answers(Api api, List<ObjectNode> bodies, int clients, List<String> ids)
            throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
            List<Future<JsonNode>> futures = new ArrayList<>();
            bodies.forEach(body -> futures.add(
                    pool.submit(() -> api.post("/v1/completions", body).ok())));
            List<JsonNode> answers = new ArrayList<>();
            for (Future<JsonNode> future : futures) {
                ObjectNode answer = future.get().deepCopy();
                ids.add(answer.remove("id").asText());
                answer.remove("created");
                answers.add(answer);
            }
            return answers;
        }
    }

    private static ObjectNode body(RequestSpec spec) {
        SamplingParams sampling = spec.sampling();
        ObjectNode body = Api.JSON
                .createObjectNode()
                .put("model", "house")
                .put("max_tokens", spec.maxTokens())
                .put("n", spec.choices())
                .put("ignore_eos", spec.ignoreEos())
                .put("temperature", sampling.temperature())
                .put("top_k", sampling.topK())
                .put("top_p", sampling.topP())
                .put("repetition_penalty", sampling.repetitionPenalty())
                .put("presence_penalty", sampling.presencePenalty())
                .put("frequency_penalty", sampling.frequencyPenalty())
                .put("seed", sampling.seed() >>> 1);
        ArrayNode prompt = body.putArray("prompt");
        spec.promptTokens().forEach(prompt::add);
        if (!spec.stopStrings().isEmpty()) {
            ArrayNode stop = body.putArray("stop");
            spec.stopStrings().forEach(stop::add);
        }
        return body;
    }

    /** A cluster as a user starts it, with everything it writes below a folder of its own. */
    private static final class Cluster implements AutoCloseable {
        private final Path home;
        private final int port;

        private Cluster(Path home, int port) {
            this.home = home;
            this.port = port;
        }

        static Cluster up(Path home) throws IOException {
            String workers = Integer.toString(WORKERS);
            String said;
            try {
                said = baton(home, "up", "--prefill", workers, "--decode", workers, "--port", "0");
            } catch (IOException e) {
                baton(home, "down");
                throw e;
            }
            Matcher ready = READY.matcher(said);
            assertThat(ready.find()).as(said).isTrue();
            return new Cluster(home, Integer.parseInt(ready.group(1)));
        }

        private static String baton(Path home, String... arguments) throws IOException {
            Path output = Files.createTempFile(home, "baton", ".log");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx256m",
                    "-Dbaton.home=" + home,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Baton.class.getName()));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended;
            try {
                ended = process.waitFor(START_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            String said = Files.readString(output);
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("baton " + List.of(arguments) + " failed: " + said);
            }
            return said;
        }

        @Override
        public void close() throws IOException {
            baton(home, "down");
        }
    }
}
