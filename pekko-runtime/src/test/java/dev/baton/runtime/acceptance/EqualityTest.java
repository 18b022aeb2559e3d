package dev.baton.runtime.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * §0x10: disaggregation does not change the output. The same seeded requests, sent one at a time and many at once, get the same
 * bytes from one worker, from two with a handoff between them, with the prompt in one piece and in chunks. 200 requests with
 * {@code -Dbaton.equality.requests=200}; fewer in CI.
 */
class EqualityTest {

    private static final long SEED = 20_261_201;
    private static final int REQUESTS = Integer.getInteger("baton.equality.requests", 48);

    @Test
    void s0x10_disaggregationDoesNotChangeTheOutput() throws Exception {
        List<Requests.Answer> colocatedWhole;
        try (Node node = Nodes.colocated(budget(512))) {
            colocatedWhole = oneAtATime(node);
        }
        assertThat(colocatedWhole).allMatch(answer -> answer.outcome() == Outcome.FINISHED);
        try (Node node = Nodes.colocated(budget(7))) {
            assertThat(manyAtOnce(node)).as("colocated, chunked, batched").isEqualTo(colocatedWhole);
        }
        try (Node node = Nodes.disaggregated(budget(512))) {
            assertThat(manyAtOnce(node)).as("disaggregated, batched").isEqualTo(colocatedWhole);
        }
        try (Node node = Nodes.disaggregated(budget(33))) {
            assertThat(oneAtATime(node)).as("disaggregated, chunked").isEqualTo(colocatedWhole);
        }
        System.out.println("equality: " + colocatedWhole.size() + " requests, four ways, equal");
    }

    private static Config budget(int tokens) {
        return ConfigFactory.parseString("baton.worker.batch.prefill-budget-tokens = " + tokens);
    }

    private static List<Requests.Answer> oneAtATime(Node node) {
        return IntStream.range(0, REQUESTS)
                .mapToObj(i -> Requests.run(node.backend(), RandomRequests.at(node, SEED, i)))
                .toList();
    }

    private static List<Requests.Answer> manyAtOnce(Node node) throws Exception {
        try (ExecutorService clients = Executors.newFixedThreadPool(16)) {
            List<Future<Requests.Answer>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                int request = i;
                answers.add(clients.submit(() -> Requests.run(node.backend(), RandomRequests.at(node, SEED, request))));
            }
            List<Requests.Answer> collected = new ArrayList<>();
            for (Future<Requests.Answer> answer : answers) {
                collected.add(answer.get());
            }
            return collected;
        }
    }
}
