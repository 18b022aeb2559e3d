package dev.baton.scheduler.worker;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.journal.WireMessage;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.transfer.link.DataEndpoint;
import dev.baton.transfer.protocol.TransferProtocol;
import org.apache.pekko.actor.typed.ActorRef;

/** Everything that is said to the prefill side of a worker. */
public final class PrefillProtocol {
    private PrefillProtocol() {}

    /** The worker's own messages (from its engine and its link) extend this where they live; they never cross nodes. */
    public interface Command {}

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
            implements Command, WireMessage {}

    /** The request does not want this leg any more. Idempotent. */
    public record CancelPrefill(Fence fence, String cause) implements Command, WireMessage {}

    public record ChunksVisible(TransferProtocol.ChunksVisible message) implements Command, WireMessage {}

    public record PublicationAcknowledged(TransferProtocol.PublicationAcknowledged message)
            implements Command, WireMessage {}

    public record DestinationAborted(TransferProtocol.DestinationAborted message) implements Command, WireMessage {}
}
