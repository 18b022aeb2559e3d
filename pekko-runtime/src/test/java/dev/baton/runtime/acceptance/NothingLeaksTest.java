package dev.baton.runtime.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.baton.runtime.node.Node;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.RequestSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** 1,000 requests with {@code -Dbaton.leak.requests=1000}, a third of them cancelled at random moments; fewer in CI. */
class NothingLeaksTest {

    private static final long SEED = 42;
    private static final int REQUESTS = Integer.getInteger("baton.leak.requests", 150);

    @Test
    void afterManyRequestsOfWhichAThirdIsCancelledNothingIsHeld() throws Exception {
        try (Node node = Nodes.disaggregated(ConfigFactory.empty());
                ExecutorService clients = Executors.newFixedThreadPool(24)) {
            List<Future<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                RequestSpec spec = RandomRequests.at(node, SEED, i);
                boolean cancel = i % 3 == 0;
                long delayMicros = new SplittableRandom(SEED + i).nextLong(0, 400_000);
                outcomes.add(clients.submit(() -> {
                    if (cancel) {
                        Thread.ofVirtual().start(() -> {
                            try {
                                TimeUnit.MICROSECONDS.sleep(delayMicros);
                                Requests.join(node.backend().cancel(spec.request()));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
                    }
                    return Requests.run(node.backend(), spec).outcome();
                }));
            }
            int cancelled = 0;
            for (int i = 0; i < REQUESTS; i++) {
                Outcome outcome = outcomes.get(i).get();
                if (i % 3 != 0) {
                    assertThat(outcome).isEqualTo(Outcome.FINISHED);
                } else if (outcome == Outcome.CANCELLED) {
                    cancelled++;
                }
            }
            assertThat(cancelled).as("cancellations that came in time").isPositive();
            await().atMost(Duration.ofSeconds(2))
                    .untilAsserted(() -> assertThat(node.holdings()).isEqualTo(Node.Holdings.NOTHING));
            System.out.println("leaks: " + REQUESTS + " requests, " + cancelled + " cancelled in time, nothing held");
        }
    }
}
