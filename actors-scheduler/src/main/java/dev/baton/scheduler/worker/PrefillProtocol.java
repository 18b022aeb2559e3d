package dev.baton.scheduler.worker;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.journal.WireMessage;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.transfer.link.DataEndpoint;
import dev.baton.transfer.protocol.TransferProtocol;
import org.apache.pekko.actor.typed.ActorRef;

/** Everything that is said to the prefill side of a worker. */
public final class PrefillProtocol {
    private PrefillProtocol() {}

    public sealed interface Command permits Wire, Internal {}

    /** What other nodes may send. */
    public sealed interface Wire extends Command, WireMessage {}

    /** The actor's own messages, from its engine and its link; they never cross nodes. */
    public non-sealed interface Internal extends Command {}

    /**
     * Computes the prompt and streams its K/V to the destination. Answered to the request entity with PrefillAccepted or
     * LegRefused, later with FirstTokens.
     *
     * @param manifest frozen by the destination; this worker compares it with what it holds
     * @param destination where the source's control messages go
     * @param endpoint where the chunks go
     */
    public record StartPrefill(
            HandoffManifest manifest,
            RoleEpoch roleEpoch,
            DecodeSpec spec,
            DataEndpoint endpoint,
            ActorRef<DecodeProtocol.Command> destination)
            implements Wire {}

    /** The request does not want this leg any more. Idempotent. */
    public record CancelPrefill(Fence fence, String cause) implements Wire {}

    public record ChunksVisible(TransferProtocol.ChunksVisible message) implements Wire {}

    public record PublicationAcknowledged(TransferProtocol.PublicationAcknowledged message) implements Wire {}

    public record DestinationAborted(TransferProtocol.DestinationAborted message) implements Wire {}

    /** The destination's transport holds nothing of an aborted transfer any more. */
    public record StagingReleased(TransferProtocol.StagingReleased message) implements Wire {}

    /** The cluster removed the worker of this epoch; everything of it is fenced. */
    public record PeerLost(WorkerEpoch epoch) implements Internal {}
}
