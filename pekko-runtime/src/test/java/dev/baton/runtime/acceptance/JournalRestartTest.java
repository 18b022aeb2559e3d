package dev.baton.runtime.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.baton.kernels.sampling.SamplingParams;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.RequestSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal outlives its node: a finished request is read back, output and trace, by another node over the same database. */
class JournalRestartTest {

    @Test
    void theEmbeddedJournalOutlivesItsNode(@TempDir Path folder) {
        readBackAfterRestart(ConfigFactory.parseMap(Map.of(
                "baton.journal.kind",
                "h2",
                "baton.journal.h2.file",
                folder.resolve("journal").toString())));
    }

    @Test
    void postgresHoldsTheSameJournal() throws IOException, InterruptedException, SQLException {
        try (PostgresServer postgres = PostgresServer.start()) {
            readBackAfterRestart(ConfigFactory.parseMap(Map.of(
                    "baton.journal.kind", "postgres",
                    "baton.journal.postgres.url", postgres.url(),
                    "baton.journal.postgres.user", postgres.user(),
                    "baton.journal.postgres.password", postgres.password())));
            assertThat(postgres.tables()).contains("event_journal", "event_tag", "snapshot");
        }
    }

    private static void readBackAfterRestart(Config journal) {
        RequestSpec spec;
        Requests.Answer first;
        int transitions;
        try (Node node = Nodes.disaggregated(journal)) {
            spec = Requests.spec(node, List.of(1, 30, 31, 32), 12, 2, List.of(), true, SamplingParams.plain(0.8f, 5));
            first = Requests.run(node.backend(), spec);
            transitions = Requests.join(node.backend().trace(spec.request()))
                    .transitions()
                    .size();
        }
        assertThat(first.tokens()).allSatisfy(choice -> assertThat(choice).hasSize(12));
        try (Node node = Nodes.disaggregated(journal)) {
            assertThat(Requests.read(node.backend(), spec)).isEqualTo(first);
            assertThat(Requests.join(node.backend().trace(spec.request())).transitions())
                    .as("nothing of the trace is lost")
                    .hasSizeGreaterThanOrEqualTo(transitions);
        }
    }
}
