package dev.baton.scheduler.cls.actor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.RequestId;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.cls.ClsEvent;
import dev.baton.scheduler.cls.ClsLimits;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ClsEntityTest {
    private static final ActorTestKit KIT = ActorTestKit.create();

    private final TestProbe<RequestProtocol.Command> request = KIT.createTestProbe(RequestProtocol.Command.class);
    private final ActorRef<ClsProtocol.Command> cls = KIT.spawn(ClsEntity.create(
            Samples.MODEL,
            new ClsEntity.Settings(
                    ClsLimits.defaults(),
                    Duration.ofMillis(20),
                    () -> TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis())),
            (id, message) -> request.getRef().tell(message),
            context -> {}));

    @AfterAll
    static void stop() {
        KIT.shutdownTestKit();
    }

    private void ask(String id, long waitMillis) {
        cls.tell(new ClsProtocol.AskRoute(
                Samples.TENANT, new RequestId(id), 1, 16, 1, 16, false, List.of(), waitMillis));
    }

    @Test
    void s0x08F_asksAreGrantedRefusedInTimeAndToldOfLosses() {
        ask("early", 50);
        assertThat(request.expectMessageClass(RequestProtocol.RouteRefused.class)
                        .routeAsk())
                .isEqualTo(1);
        WorkerRef p = Samples.worker("p", 3, KIT.system());
        WorkerRef d = Samples.worker("d", 4, KIT.system());
        cls.tell(new ClsProtocol.Report(Samples.report(p, Role.PREFILL, 1, 0, 90)));
        ask("waits", 5_000);
        cls.tell(new ClsProtocol.Report(Samples.report(d, Role.DECODE, 1, 0, 90)));
        assertThat(request.expectMessageClass(RequestProtocol.RouteGranted.class)
                        .grant()
                        .decode())
                .isEqualTo(d);
        cls.tell(new ClsEntity.Membership(new ClsEvent.NodeGone("pekko://baton@127.0.0.1:d", 0)));
        assertThat(request.expectMessageClass(RequestProtocol.WorkerLost.class).epoch())
                .isEqualTo(d.epoch());
        TestProbe<ClsProtocol.ClusterView> view = KIT.createTestProbe(ClsProtocol.ClusterView.class);
        cls.tell(new ClsProtocol.ReadCluster(view.getRef()));
        assertThat(view.expectMessageClass(ClsProtocol.ClusterView.class).workers())
                .hasSize(1);
    }
}
