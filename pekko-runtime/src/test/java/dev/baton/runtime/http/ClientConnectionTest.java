package dev.baton.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.baton.runtime.http.FakeBackend.Script;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client's connection does to its request: leaving cancels, slowness holds back. */
class ClientConnectionTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static ServedApi api;

    @BeforeAll
    static void serve() {
        api = new ServedApi(ServedApi.settings());
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @BeforeEach
    void forget() {
        api.backend.submitted.clear();
        api.backend.cancelled.clear();
        api.backend.pulls.set(0);
        api.backend.mostPulling.set(0);
    }

    private static Socket ask(String path, String body, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBytes);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.server.port()));
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + bytes.length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return socket;
    }

    private static String completion(String more) {
        return "{\"model\":\"fake/model\",\"prompt\":\"abc\"" + more + "}";
    }

    private static void cancelledAll() {
        await().atMost(AT_ONCE)
                .untilAsserted(() -> assertThat(api.backend.cancelled)
                        .containsExactlyInAnyOrderElementsOf(api.backend.submitted.stream()
                                .map(spec -> spec.request())
                                .toList()));
    }

    @Test
    void aClientThatLeavesBeforeAWholeAnswerCancelsIt() throws IOException {
        api.backend.answers = spec -> Script.hanging(List.of());
        Socket socket = ask("/v1/completions", completion(""), 65_536);
        await().until(() -> api.backend.submitted.size() == 1);
        assertThat(api.backend.cancelled).isEmpty();
        socket.close();
        cancelledAll();
    }

    @Test
    void aClientThatResetsItsConnectionCancels() throws IOException {
        api.backend.answers = spec -> Script.hanging(List.of());
        try (Socket socket = ask("/v1/completions", completion(""), 65_536)) {
            await().until(() -> api.backend.submitted.size() == 1);
            socket.setSoLinger(true, 0);
        }
        cancelledAll();
    }

    @Test
    void aClientThatLeavesAStreamCancelsIt() throws IOException {
        api.backend.answers = spec -> Script.hanging(List.of(new OutputItem(0, 0, List.of(1), "Hello", null)));
        try (Socket socket = ask("/v1/completions", completion(",\"stream\":true"), 65_536)) {
            assertThat(readUntil(socket.getInputStream(), "Hello")).contains("text/event-stream");
        }
        cancelledAll();
    }

    @Test
    void everyPromptOfAListIsCancelled() throws IOException {
        api.backend.answers = spec -> Script.hanging(List.of());
        String body = "{\"model\":\"fake/model\",\"prompt\":[\"a\",\"b\",\"c\"]}";
        Socket socket = ask("/v1/completions", body, 65_536);
        await().until(() -> api.backend.submitted.size() == 3);
        socket.close();
        cancelledAll();
        assertThat(api.backend.cancelled).hasSize(3);
    }

    @Test
    void anIdleStreamCarriesSignsOfLife() throws IOException {
        api.backend.answers = spec -> Script.hanging(List.of());
        try (Socket socket = ask("/v1/completions", completion(",\"stream\":true"), 65_536)) {
            assertThat(readUntil(socket.getInputStream(), ": keep-alive")).contains("200 OK");
        }
        cancelledAll();
    }

    @Test
    void aFinishedAnswerIsNotCancelledWhenItsClientLeaves() throws IOException {
        api.backend.answers = spec -> Script.words(1, "done");
        try (Socket socket = ask("/v1/completions", completion(""), 65_536)) {
            assertThat(readUntil(socket.getInputStream(), "total_tokens")).contains("done");
        }
        // A second request on its own connection gives the first's end time to arrive.
        assertThat(api.post("/v1/completions", completion("")).statusCode()).isEqualTo(200);
        assertThat(api.backend.cancelled).isEmpty();
    }

    @Test
    void aSlowClientHoldsBackPulls() throws IOException {
        int items = 20_000;
        String text = "x".repeat(2_000);
        List<OutputItem> output = new ArrayList<>();
        for (int i = 0; i < items; i++) {
            output.add(new OutputItem(i, 0, List.of(1), text, null));
        }
        Script script = new Script(output, Outcome.FINISHED, null);
        api.backend.answers = spec -> script;
        int allPulls = items / ServedApi.settings().pullItems();
        try (Socket socket = ask("/v1/completions", completion(",\"stream\":true"), 4_096)) {
            // Until the socket's buffers are full and pulling stands still.
            await().pollInterval(Duration.ofMillis(300))
                    .atMost(Duration.ofSeconds(20))
                    .until(new Standstill());
            int held = api.backend.pulls.get();
            assertThat(held).isPositive().isLessThan(allPulls / 2);
            assertThat(api.backend.mostPulling).as("one pull at a time").hasValue(1);
            assertThat(api.get("/health/live").statusCode())
                    .as("slows nobody else")
                    .isEqualTo(200);
            byte[] taken = socket.getInputStream().readNBytes(8_000_000);
            assertThat(taken).hasSize(8_000_000);
            assertThat(api.backend.pulls.get()).as("reading lets it go on").isGreaterThan(held);
        }
        cancelledAll();
    }

    /** Whether no pull came since it was last asked. */
    private static final class Standstill implements java.util.concurrent.Callable<Boolean> {
        private int before = -1;

        @Override
        public Boolean call() {
            int now = api.backend.pulls.get();
            boolean still = now == before && now > 0;
            before = now;
            return still;
        }
    }

    @Test
    void aLongConnectionCollectsNoListeners() {
        ClientConnection connection = new ClientConnection();
        int[] told = {0};
        ClientConnection.Listener first = connection.onGone(() -> told[0]++);
        connection.onGone(() -> told[0] += 10).close();
        assertThat(connection.listeners()).isEqualTo(1);
        connection.wentAway();
        first.close();
        connection.wentAway();
        assertThat(told[0]).isEqualTo(1);
        connection.onGone(() -> told[0] += 100).close();
        assertThat(told[0]).as("late ones are told at once").isEqualTo(101);
        assertThat(connection.listeners()).isZero();
    }

    private static String readUntil(InputStream in, String wanted) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(wanted) < 0) {
            int next = in.read();
            if (next < 0) {
                throw new AssertionError("stream ended: " + text);
            }
            text.append((char) next);
        }
        return text.toString();
    }
}
