package dev.baton.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.baton.runtime.cli.LocalCluster.NodePlan;
import dev.baton.runtime.cli.RunState.ProcessEntry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalClusterTest {
    @TempDir
    Path directory;

    private RunState state;
    private LocalCluster cluster;
    private List<ProcessEntry> started = List.of();

    @BeforeEach
    void set() {
        state = new RunState(directory);
        cluster = new LocalCluster(state, new PrintWriter(new StringWriter()), FakeNode.class);
    }

    @AfterEach
    void end() {
        cluster.stop(started);
    }

    private static NodePlan plan(String name, NodeCommands.NodeRole role, int port) {
        return new NodePlan(name, role, port + 1, port);
    }

    @Test
    void processesStartAreRememberedAndEnd() throws IOException {
        List<Integer> ports = LocalCluster.freePorts(2);
        started = cluster.start(
                List.of(
                        plan("http-0", NodeCommands.NodeRole.HTTP, ports.get(0)),
                        plan("decode-0", NodeCommands.NodeRole.DECODE, ports.get(1))),
                List.of("--set", "a=b"),
                Duration.ZERO);
        state.write(new RunState.Cluster("http://127.0.0.1:1", started));
        assertThat(state.read().orElseThrow().nodes()).isEqualTo(started).allMatch(ProcessEntry::isRunning);
        await().until(() -> !Files.readString(state.log("decode-0")).isEmpty());
        assertThat(Files.readString(state.log("decode-0")))
                .contains("--role DECODE --name decode-0 --artery-port " + ports.get(1) + " --seed 127.0.0.1:"
                        + ports.get(0))
                .contains("--set a=b")
                .doesNotContain("--http-port");
        cluster.stop(started);
        assertThat(started).noneMatch(ProcessEntry::isRunning);
        state.forget();
        assertThat(state.read()).isEmpty();
    }

    @Test
    void aProcessOfAnotherStartTimeIsNotOurs() {
        ProcessHandle self = ProcessHandle.current();
        long start = self.info().startInstant().orElseThrow().toEpochMilli();
        ProcessEntry reused = new ProcessEntry("x", "DECODE", self.pid(), start - 1_000, 1, 0, "x.log");
        assertThat(reused.isRunning()).isFalse();
        cluster.stop(List.of(reused));
        assertThat(self.isAlive()).isTrue();
        ProcessEntry same = new ProcessEntry("x", "DECODE", self.pid(), start, 1, 0, "x.log");
        assertThat(same.isRunning()).isTrue();
    }

    @Test
    void aNodeThatEndsLeavesItsLastWords() throws IOException {
        started = cluster.start(
                List.of(plan(
                        "prefill-0",
                        NodeCommands.NodeRole.PREFILL,
                        LocalCluster.freePorts(1).getFirst())),
                List.of("--set", "fail=yes"),
                Duration.ZERO);
        await().until(() -> !started.getFirst().isRunning());
        assertThat(LocalCluster.tail(started.getFirst())).contains("fails on purpose");
    }

    @Test
    void aTakenPortIsToldWithItsCure() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> LocalCluster.requireFree(taken.getLocalPort()))
                    .isInstanceOf(CliFailure.class)
                    .hasMessageContaining("--port");
        }
        assertThat(LocalCluster.freePorts(10)).doesNotHaveDuplicates().hasSize(10);
    }

    @Test
    void aBrokenStateFileIsToldWithItsCure() throws IOException {
        Files.writeString(directory.resolve("cluster.json"), "{");
        assertThatThrownBy(state::read).isInstanceOf(CliFailure.class).hasMessageContaining("delete it");
    }
}
