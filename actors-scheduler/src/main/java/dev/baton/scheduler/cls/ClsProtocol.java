package dev.baton.scheduler.cls;

import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.journal.WireMessage;
import dev.baton.scheduler.worker.WorkerReport;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/** Everything that is said to a cluster-level scheduler. Its entity id is the served model's name. */
public final class ClsProtocol {
    private ClsProtocol() {}

    public sealed interface Command extends WireMessage {}

    /** The entity's own timers and membership events; they never cross nodes. */
    public non-sealed interface Internal extends Command {}

    /**
     * Asks for a pair of workers. Answered with RouteGranted or RouteRefused to the request entity, through sharding.
     *
     * @param routeAsk counts the asks of this request; the answer echoes it
     * @param promptTokens tokens to prefill, prompt plus tokens already given on a continuation
     * @param choices answers that share the prompt
     * @param growthTokensPerChoice most tokens that one choice may still produce
     * @param colocated one worker for both phases
     * @param avoid workers that just failed this request
     */
    public record AskRoute(
            TenantId tenant,
            RequestId request,
            long routeAsk,
            long promptTokens,
            int choices,
            long growthTokensPerChoice,
            boolean colocated,
            List<WorkerId> avoid,
            long waitMillis)
            implements Command {
        public AskRoute {
            avoid = List.copyOf(avoid);
        }
    }

    /** The request no longer needs what that ask was granted, or no longer waits for it. */
    public record ReleaseRoute(RequestId request, long routeAsk) implements Command {}

    /** Sent by each worker when it starts, a few times a second, and when its load changes much. */
    public record Report(WorkerReport report) implements Command {}

    /** A worker leaves by its own will: nothing new is routed to it. */
    public record WorkerLeaving(WorkerId worker, WorkerEpoch epoch) implements Command {}

    /** For status displays. */
    public record ReadCluster(ActorRef<ClusterView> replyTo) implements Command {}

    /**
     * @param waiting requests waiting for capacity
     * @param bound requests holding a route
     */
    public record ClusterView(List<WorkerReport> workers, long waiting, long bound) implements WireMessage {
        public ClusterView {
            workers = List.copyOf(workers);
        }
    }
}
