package dev.baton.scheduler.request;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.journal.WireMessage;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.transfer.link.DataEndpoint;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.jspecify.annotations.Nullable;

/** Everything that is said to and by a request entity. */
public final class RequestProtocol {
    private RequestProtocol() {}

    public sealed interface Command extends WireMessage {}

    /** The entity's own timers; they never cross nodes. */
    public non-sealed interface Internal extends Command {}

    // ---- from the client side ----

    /** Creates the request; a repeat with an equal spec is answered like the first. */
    public record Submit(RequestSpec spec, ActorRef<Submitted> replyTo) implements Command {}

    /** @param accepted false when another spec already lives under this id */
    public record Submitted(boolean accepted) implements WireMessage {}

    /**
     * Asks for output from {@code fromSequence} on. Answered at once when there is some or the request has ended, otherwise
     * when there is, or empty after {@code waitMillis}.
     */
    public record Pull(int fromSequence, int maxItems, long waitMillis, ActorRef<Pulled> replyTo) implements Command {}

    /**
     * @param items output from {@code fromSequence} on, in order
     * @param ended how the request ended, once {@code items} reach the end
     * @param failure set when {@code ended} is FAILED
     * @param known false when no such request exists
     */
    public record Pulled(
            List<OutputItem> items,
            @Nullable Outcome ended,
            @Nullable FailureCause failure,
            @Nullable Usage usage,
            boolean known)
            implements WireMessage {
        public Pulled {
            items = List.copyOf(items);
        }
    }

    /** The client is gone or asked to stop; both legs are told at once. */
    public record Cancel(ActorRef<Cancelled> replyTo) implements Command {}

    public record Cancelled(boolean known) implements WireMessage {}

    /** Asks for everything that can be read back about this request. */
    public record ReadTrace(ActorRef<Trace> replyTo) implements Command {}

    /** Transitions of every machine that took part, ordered by time of adoption. */
    public record Trace(boolean known, List<TransitionRecord> transitions) implements WireMessage {
        public Trace {
            transitions = List.copyOf(transitions);
        }
    }

    // ---- from the cluster-level scheduler ----

    public record RouteGranted(RouteGrant grant) implements Command {}

    /** @param retryAfterMillis hint for the client; 0 when waiting does not help */
    public record RouteRefused(long routeAsk, FailureCause cause, long retryAfterMillis) implements Command {}

    /** The cluster removed a worker that this request was bound to. */
    public record WorkerLost(WorkerId worker, WorkerEpoch epoch) implements Command {}

    // ---- from workers; every one carries the fence ----

    /** The destination has set blocks aside and frozen the manifest. */
    public record DecodeReserved(Fence fence, HandoffManifest manifest, DataEndpoint endpoint) implements Command {}

    /** One worker does both phases; the fence names its reservation. */
    public record ColocatedAccepted(Fence fence) implements Command {}

    /** A leg was refused before it began; nothing is held for it. Reservation 0 where none was made. */
    public record LegRefused(Fence fence, Leg leg, LegRefusal reason) implements Command {}

    public record PrefillAccepted(Fence fence) implements Command {}

    /** Sampled where prefill ended, one token per choice; given to the client at once. */
    public record FirstTokens(Fence fence, int tokenIndex, List<Integer> tokens) implements Command {
        public FirstTokens {
            tokens = List.copyOf(tokens);
        }
    }

    /** The complete cache is visible to decode. */
    public record KvPublished(Fence fence, long exposedStallNanos) implements Command {}

    /**
     * Tokens of one choice from {@code firstIndex} on. A worker has at most one unacknowledged batch per choice; the entity
     * acknowledges when the batch is journaled.
     */
    public record TokensProduced(Fence fence, int choice, int firstIndex, List<Integer> tokens) implements Command {
        public TokensProduced {
            tokens = List.copyOf(tokens);
        }
    }

    /** A leg that had begun ended without success; the worker has released or is releasing everything. */
    public record LegFailed(Fence fence, Leg leg, String cause) implements Command {}

    /** Transitions adopted by a worker's machines for this request; commentary, not part of the request's state. */
    public record TransitionsReported(List<TransitionRecord> transitions) implements Command {
        public TransitionsReported {
            transitions = List.copyOf(transitions);
        }
    }
}
