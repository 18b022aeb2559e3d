package dev.baton.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands as a shell sees them: exit code, output, errors with their cure. */
class BatonTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<Object> asked = new ArrayList<>();
    private HttpServer server;

    /** Remembers what it was asked. */
    private final NodeCommands nodes = new NodeCommands() {
        @Override
        public int serve(ServeOptions options) {
            asked.add(options);
            return SUCCESS;
        }

        @Override
        public int node(NodeOptions options) {
            asked.add(options);
            return SUCCESS;
        }

        @Override
        public int bench(BenchOptions options) {
            asked.add(options);
            return SUCCESS;
        }

        @Override
        public int synthesize(SynthOptions options) {
            asked.add(options);
            return FAILURE;
        }
    };

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(String path, int status, String body) {
        server.createContext(path, exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private int run(String... arguments) {
        return Baton.run(() -> nodes, new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve", "up", "down", "status", "generate", "trace", "model", "bench", "version", "node"})
    void everyCommandHasHelpWithAnExample(String command) {
        assertThat(run(command, "--help")).isZero();
        assertThat(out.toString()).contains("Usage: baton " + command);
        if (!command.equals("version")) {
            assertThat(out.toString()).contains("Example").contains("./baton " + command);
        }
    }

    @Test
    void wrongUseIsTwo() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("fly")).isEqualTo(2);
        assertThat(run("trace")).isEqualTo(2);
        assertThat(run("model")).isEqualTo(2);
        assertThat(run("serve", "--mode", "sideways")).isEqualTo(2);
        assertThat(err.toString()).contains("fly").contains("REQUEST_ID");
    }

    @Test
    void versionIsReadableByScripts() throws IOException {
        assertThat(run("version", "--json")).isZero();
        JsonNode version = new ObjectMapper().readTree(out.toString());
        assertThat(version.get("java").asText()).startsWith("25");
        assertThat(run("--version")).isZero();
    }

    @Test
    void noServerNamesTheCure() {
        String nobody = "http://127.0.0.1:" + LocalCluster.freePorts(1).getFirst();
        for (String[] command : new String[][] {{"status"}, {"generate", "hi"}, {"trace", "chatcmpl-1"}}) {
            List<String> arguments = new ArrayList<>(List.of(command));
            arguments.addAll(List.of("--url", nobody));
            assertThat(run(arguments.toArray(String[]::new))).isEqualTo(1);
        }
        assertThat(err.toString().lines().filter(line -> line.contains("./baton serve")))
                .hasSize(3);
        assertThat(run("status", "--url", "nonsense")).isEqualTo(1);
        assertThat(err.toString()).contains("no HTTP URL");
    }

    @Test
    void statusShowsWorkers() {
        answer(
                "/admin/v1/cluster",
                200,
                "{\"status\":\"ready\",\"models\":[{\"model\":\"m\",\"waiting_requests\":1,\"bound_requests\":2,"
                        + "\"workers\":[{\"worker\":\"prefill-0\",\"role\":\"prefill\",\"node\":\"n\","
                        + "\"pending_prefill_tokens\":5,\"running_decodes\":0,\"free_blocks\":7,\"total_blocks\":9}]}]}");
        assertThat(run("status", "--url", url())).isZero();
        assertThat(out.toString())
                .contains("ready")
                .contains("prefill-0")
                .contains("7/9")
                .contains("1 waiting, 2 bound");
    }

    @Test
    void generateStreamsAndSaysHowToTrace() {
        answer("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
        answer(
                "/v1/chat/completions",
                200,
                String.join(
                        "\n\n",
                        "data: {\"id\":\"chatcmpl-7\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}",
                        ": keep-alive",
                        "data: {\"id\":\"chatcmpl-7\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}",
                        "data: [DONE]",
                        ""));
        assertThat(run("generate", "hi", "--url", url())).isZero();
        assertThat(out.toString()).isEqualToIgnoringNewLines("Hello");
        assertThat(err.toString()).contains("./baton trace chatcmpl-7");
    }

    @Test
    void anErrorInTheStreamAndAnEarlyEndFail() {
        answer("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
        answer("/v1/completions", 200, "data: {\"error\":{\"message\":\"deadline passed\"}}\n\n");
        answer("/v1/chat/completions", 200, "data: {\"choices\":[]}\n\n");
        assertThat(run("generate", "--raw", "hi", "--url", url())).isEqualTo(1);
        assertThat(err.toString()).contains("deadline passed");
        assertThat(run("generate", "hi", "--url", url())).isEqualTo(1);
        assertThat(err.toString()).contains("ended the answer early");
    }

    @Test
    void theServersRefusalIsPassedOn() {
        answer("/admin", 404, "{\"error\":{\"message\":\"No request is known\"}}");
        assertThat(run("trace", "chatcmpl-1", "--url", url())).isEqualTo(1);
        assertThat(err.toString()).contains("404: No request is known");
    }

    @Test
    void traceShowsTheTimelineAndWhereTheTimeWent() {
        answer(
                "/admin/v1/requests/chatcmpl-1/trace",
                200,
                "{\"request_id\":\"chatcmpl-1\",\"transitions\":[{\"machine\":\"request\",\"where\":\"n\","
                        + "\"at_epoch_micros\":1000,\"sequence\":0,\"from\":\"New\",\"event\":\"Submitted\","
                        + "\"to\":\"Routing\",\"detail\":\"prompt=3\"}]}");
        assertThat(run("trace", "chatcmpl-1", "--url", url())).isZero();
        assertThat(out.toString())
                .contains("New -> Routing (Submitted)")
                .contains("prompt=3")
                .contains("queue");
    }

    @Test
    void serveHandsItsOptionsToTheNode() {
        assertThat(run("serve", "--mode", "colocated", "--port", "0", "--set", "http.deadline=5s"))
                .isZero();
        assertThat(asked).singleElement().isInstanceOfSatisfying(NodeCommands.ServeOptions.class, options -> {
            assertThat(options.mode()).isEqualTo(NodeCommands.Mode.COLOCATED);
            assertThat(options.httpPort()).contains(0);
            assertThat(options.host()).isEmpty();
            assertThat(options.overrides().settings()).containsExactly("http.deadline=5s");
        });
        assertThat(run("serve", "--model", "no/such/file.gguf")).isEqualTo(1);
        assertThat(err.toString()).contains("no/such/file.gguf");
    }

    @Test
    void nodeAndBenchAndSynthHandTheirOptionsOn() {
        assertThat(run(
                        "node",
                        "--role",
                        "decode",
                        "--name",
                        "d",
                        "--artery-port",
                        "5",
                        "--seed",
                        "h:5",
                        "--data-dir",
                        "x"))
                .isZero();
        assertThat(run("bench", "handoff", "--prompt-tokens", "8,16", "--json")).isZero();
        assertThat(run("model", "synth", "--output", "m.gguf"))
                .as("its exit code is the node's")
                .isEqualTo(1);
        assertThat(asked)
                .containsExactly(
                        new NodeCommands.NodeOptions(
                                NodeCommands.NodeRole.DECODE,
                                "d",
                                java.util.Optional.empty(),
                                5,
                                "h:5",
                                Path.of("x"),
                                new NodeCommands.Overrides(
                                        java.util.Optional.empty(), java.util.Optional.empty(), List.of())),
                        new NodeCommands.BenchOptions(
                                "handoff",
                                List.of(8, 16),
                                List.of(1, 2),
                                true,
                                new NodeCommands.Overrides(
                                        java.util.Optional.empty(), java.util.Optional.empty(), List.of())),
                        new NodeCommands.SynthOptions("smollm2-135m", "q8_0", 1, Path.of("m.gguf")));
    }

    @Test
    void upRefusesWhatCannotServe() {
        assertThat(run("up", "--prefill", "0", "--decode", "1")).isEqualTo(1);
        assertThat(run("up", "--prefill", "-1")).isEqualTo(1);
        assertThat(run("up", "--port", Integer.toString(server.getAddress().getPort())))
                .isEqualTo(1);
        assertThat(err.toString()).contains("--mode colocated").contains("--port");
    }

    @Test
    void inspectRefusesWhatIsNoModel(@org.junit.jupiter.api.io.TempDir Path directory) throws IOException {
        Path file = java.nio.file.Files.writeString(directory.resolve("x.gguf"), "not a model");
        assertThat(run("model", "inspect", file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("x.gguf");
    }
}
