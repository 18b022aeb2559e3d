package dev.baton.scheduler.cls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.MachineHost;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.worker.Role;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ClsMachineTest {
    private static final ActorSystem<Void> SYSTEM = Samples.quietSystem();
    private final List<ClsEffect> effects = new ArrayList<>();
    private final MachineHost<ClsState, ClsEvent, ClsEffect, ClsMachine.Refusal> host = new MachineHost<>(
            new ClsMachine(new ClsLimits(
                    2,
                    ClsLimits.defaults().reportTimeout(),
                    ClsLimits.defaults().retryAfter())),
            ClsState.empty(RouteEpoch.FIRST),
            (from, event, to) -> {},
            effects::add,
            (reason, event) -> {});

    @AfterAll
    static void stop() {
        SYSTEM.terminate();
    }

    private WorkerRef report(String name, long epoch, Role role, long sequence, long prefillTokens, int freeBlocks) {
        WorkerRef ref = Samples.worker(name, epoch, SYSTEM);
        host.handle(new ClsEvent.Reported(Samples.report(ref, role, sequence, prefillTokens, freeBlocks), 1));
        return ref;
    }

    private static ClsProtocol.AskRoute ask(String request, long prompt, boolean colocated, String... avoid) {
        List<WorkerId> workers = new ArrayList<>();
        for (String a : avoid) {
            workers.add(new WorkerId(a));
        }
        return new ClsProtocol.AskRoute(
                Samples.TENANT, new RequestId(request), 1, prompt, 1, 16, colocated, workers, 1_000);
    }

    private void asks(String request, long prompt) {
        host.handle(new ClsEvent.Asked(ask(request, prompt, false), 1));
    }

    private RouteGrant granted() {
        return ((ClsEffect.Grant) effects.getLast()).grant();
    }

    @Test
    void s0x08F_theShortestQueueInTokensGetsThePrompt() {
        report("p1", 1, Role.PREFILL, 1, 500, 90);
        report("p2", 1, Role.PREFILL, 1, 100, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        asks("r1", 100);
        assertThat(granted().prefill().worker()).isEqualTo(new WorkerId("p2"));
        assertThat(granted().decode().worker()).isEqualTo(new WorkerId("d1"));
    }

    @Test
    void s0x08F_aBurstBetweenTwoReportsSpreads() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("p2", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        report("d2", 1, Role.DECODE, 1, 0, 90);
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            asks("r" + i, 64);
            pairs.add(granted().prefill().worker() + ">" + granted().decode().worker());
        }
        assertThat(pairs).containsExactly("p1>d1", "p2>d2", "p1>d1", "p2>d2");
    }

    @Test
    void s0x08E_withoutBlocksForTheTrajectoryAnAskWaitsInOrder() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 3);
        asks("big", 64);
        asks("small", 16);
        assertThat(effects).isEmpty();
        asks("third", 16);
        assertThat(((ClsEffect.Refuse) effects.getLast()).cause()).isEqualTo(FailureCause.OVERLOADED);
        report("d1", 1, Role.DECODE, 2, 0, 90);
        assertThat(effects.stream().filter(e -> e instanceof ClsEffect.Grant).map(ClsEffect::request))
                .containsExactly(new RequestId("big"), new RequestId("small"));
    }

    @Test
    void s0x08E_whatNeverFitsIsRefusedAtOnce() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        asks("huge", 10_000);
        assertThat(((ClsEffect.Refuse) effects.getLast()).cause()).isEqualTo(FailureCause.TOO_LARGE);
    }

    @Test
    void s0x08E_withoutAWorkerOfTheRoleAnAskEndsByItsDeadline() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        asks("r", 16);
        host.handle(new ClsEvent.Ticked(500_000_000));
        assertThat(effects).isEmpty();
        host.handle(new ClsEvent.Ticked(1_000_000_001));
        assertThat(((ClsEffect.Refuse) effects.getLast()).cause()).isEqualTo(FailureCause.NO_WORKER);
        assertThat(host.state().waiting()).isEmpty();
    }

    @Test
    void s0x08F_aNewIncarnationReplacesTheOldAndItsRequestsAreTold() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        WorkerRef d = report("d1", 1, Role.DECODE, 1, 0, 90);
        asks("r", 16);
        report("d1", 2, Role.DECODE, 1, 0, 90);
        assertThat(effects.getLast()).isEqualTo(new ClsEffect.TellLost(new RequestId("r"), d.worker(), d.epoch()));
        assertThat(host.handle(new ClsEvent.Reported(Samples.report(d, Role.DECODE, 9, 0, 90), 1)))
                .isEqualTo(Decision.refused(ClsMachine.Refusal.STALE_EPOCH));
    }

    @Test
    void s0x08F_aNodeThatIsGoneGetsNothingMore() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        WorkerRef d = report("d1", 1, Role.DECODE, 1, 0, 90);
        asks("r", 16);
        host.handle(new ClsEvent.NodeGone("pekko://baton@127.0.0.1:d1", 1));
        assertThat(effects.getLast()).isInstanceOf(ClsEffect.TellLost.class);
        assertThat(host.handle(new ClsEvent.Reported(Samples.report(d, Role.DECODE, 9, 0, 90), 1)))
                .isEqualTo(Decision.refused(ClsMachine.Refusal.STALE_EPOCH));
        int before = effects.size();
        asks("r2", 16);
        assertThat(effects).hasSize(before);
    }

    @Test
    void s0x08F_anUnreachableOrLeavingWorkerIsNotRoutedTo() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        WorkerRef d2 = report("d2", 1, Role.DECODE, 1, 0, 90);
        host.handle(new ClsEvent.NodeReachable("pekko://baton@127.0.0.1:d1", false, 1));
        asks("r", 16);
        assertThat(granted().decode().worker()).isEqualTo(d2.worker());
        host.handle(new ClsEvent.WorkerLeft(d2.worker(), d2.epoch(), 1));
        host.handle(new ClsEvent.NodeReachable("pekko://baton@127.0.0.1:d1", true, 1));
        asks("r2", 16);
        assertThat(granted().decode().worker()).isEqualTo(new WorkerId("d1"));
    }

    @Test
    void s0x08G_aColocatedClusterServesEverythingColocated() {
        report("c1", 1, Role.COLOCATED, 1, 0, 90);
        asks("r", 16);
        assertThat(granted().colocated()).isTrue();
    }

    @Test
    void s0x08G_aColocatedAskGoesToAWorkerThatDoesBoth() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        report("m1", 1, Role.MIXED, 1, 900, 90);
        host.handle(new ClsEvent.Asked(ask("r", 16, true), 1));
        assertThat(granted().prefill().worker()).isEqualTo(new WorkerId("m1"));
        assertThat(granted().colocated()).isTrue();
    }

    @Test
    void s0x08E_aWorkerThatJustRefusedComesLastButIsNotExcluded() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        report("d2", 1, Role.DECODE, 1, 0, 90);
        host.handle(new ClsEvent.Asked(ask("r", 16, false, "d1"), 1));
        assertThat(granted().decode().worker()).isEqualTo(new WorkerId("d2"));
        host.handle(new ClsEvent.Asked(ask("r2", 16, false, "d1", "d2"), 1));
        assertThat(effects.getLast()).isInstanceOf(ClsEffect.Grant.class);
    }

    @Test
    void s0x08E_aRepeatedAskGetsTheSameGrantAndReleaseIsIdempotent() {
        report("p1", 1, Role.PREFILL, 1, 0, 90);
        report("d1", 1, Role.DECODE, 1, 0, 90);
        asks("r", 16);
        RouteGrant first = granted();
        asks("r", 16);
        assertThat(granted()).isEqualTo(first);
        ClsEvent release = new ClsEvent.Released(new RequestId("r"), 1, 1);
        assertThat(host.handle(release)).isInstanceOf(Decision.Moved.class);
        assertThat(host.handle(release)).isEqualTo(Decision.ignored("nothing is held"));
        assertThat(host.state().bound()).isEmpty();
    }
}
