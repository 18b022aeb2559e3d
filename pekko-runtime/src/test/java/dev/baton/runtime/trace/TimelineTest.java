package dev.baton.runtime.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.journal.TransitionRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static TransitionRecord request(long micros, long sequence, String from, String event, String to) {
        return new TransitionRecord("request", "node-a", micros, sequence, from, event, to, "");
    }

    private static final List<TransitionRecord> RECORDS = List.of(
            request(1_000_000, 0, "New", "Submitted", "Routing"),
            request(1_002_000, 1, "Routing", "RouteGranted", "Reserving"),
            request(1_003_500, 2, "Reserving", "DecodeReserved", "Prefilling"),
            request(1_023_500, 3, "Prefilling", "FirstTokens", "PrefillComputeComplete"),
            new TransitionRecord(
                    "transfer-destination",
                    "decode-0",
                    1_025_000,
                    2,
                    "Validated",
                    "DirectoryAnswered",
                    "Published",
                    "blocks=3"),
            new TransitionRecord(
                    "transfer-destination",
                    "decode-0",
                    1_004_000,
                    1,
                    "Reserved",
                    "ChunkReceived",
                    "Transferring",
                    "bytes=7168"),
            new TransitionRecord(
                    "request",
                    "node-a",
                    1_025_500,
                    4,
                    "PrefillComputeComplete",
                    "KvPublished",
                    "KvReady",
                    "exposedStallNanos=1500000"),
            request(1_026_000, 5, "KvReady", "TokensProduced", "Decoding"),
            request(1_036_000, 6, "Decoding", "TokensProduced", "Finished"));

    @Test
    void linesAreInOrderOfTimeAndRelativeToTheFirst() {
        List<String> lines = new Timeline(RECORDS).lines();
        assertThat(lines).hasSize(9);
        assertThat(lines.get(0))
                .isEqualTo("       0.000 ms  request               node-a    New -> Routing (Submitted)");
        assertThat(lines.get(3))
                .isEqualTo("       4.000 ms  transfer-destination  decode-0  Reserved -> Transferring (ChunkReceived)"
                        + "            bytes=7168");
        assertThat(lines.get(8)).startsWith("      36.000 ms");
    }

    @Test
    void s0x0F_theSummaryTellsQueuePrefillTransferAndExposedStall() {
        assertThat(new Timeline(RECORDS).summary())
                .containsExactly(
                        "queue                 3.500 ms",
                        "prefill              20.000 ms",
                        "waiting for kv        2.000 ms",
                        "decode               10.500 ms",
                        "transfer             21.000 ms",
                        "exposed stall         1.500 ms");
    }

    @Test
    void withoutATransferNoTransferIsTold() {
        List<TransitionRecord> own = RECORDS.stream()
                .filter(r -> r.machine().equals("request") && r.detail().isEmpty())
                .toList();
        assertThat(new Timeline(own).summary())
                .noneMatch(line -> line.startsWith("transfer") || line.startsWith("exposed"));
        assertThat(new Timeline(List.of()).lines()).containsExactly("  no transition is recorded");
    }
}
