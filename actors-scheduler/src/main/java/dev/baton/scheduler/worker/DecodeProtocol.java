package dev.baton.scheduler.worker;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.journal.WireMessage;
import dev.baton.transfer.protocol.TransferProtocol;

/** Everything that is said to the decode side of a worker. */
public final class DecodeProtocol {
    private DecodeProtocol() {}

    public sealed interface Command permits Wire, Internal {}

    /** What other nodes may send. */
    public sealed interface Wire extends Command, WireMessage {}

    /** The actor's own messages, from its engine and its link; they never cross nodes. */
    public non-sealed interface Internal extends Command {}

    /**
     * Sets K/V blocks aside for the whole trajectory of every choice and opens a transfer. Answered to the request entity
     * with DecodeReserved or LegRefused.
     *
     * @param source the prefill worker, whose epoch enters the fence and whose actor gets the acknowledgements
     * @param expectedEpoch the incarnation of the addressed worker
     */
    public record Reserve(
            TenantId tenant,
            RequestId request,
            Generation generation,
            Attempt attempt,
            WorkerRef source,
            WorkerEpoch expectedEpoch,
            RoleEpoch roleEpoch,
            DecodeSpec spec)
            implements Wire {}

    /**
     * Prefill and decode on this worker, without a transfer. Answered to the request entity with ColocatedAccepted or
     * LegRefused, later with FirstTokens. Source and destination epoch of the fence are the same.
     */
    public record StartColocated(
            TenantId tenant,
            RequestId request,
            Generation generation,
            Attempt attempt,
            WorkerEpoch expectedEpoch,
            RoleEpoch roleEpoch,
            DecodeSpec spec)
            implements Wire {}

    /** Tokens of the choice below {@code nextIndex} are journaled; the next batch may come. */
    public record TokensAccepted(Fence fence, int choice, int nextIndex) implements Wire {}

    /** The choice ended by a rule of the request (stop string, length). Idempotent. */
    public record EndChoice(Fence fence, int choice) implements Wire {}

    /** The request does not want this leg any more: finished, cancelled or superseded. Idempotent, in any state. */
    public record ReleaseDecode(Fence fence, String cause) implements Wire {}

    public record SourceSealed(TransferProtocol.SourceSealed message) implements Wire {}

    public record SourceAborted(TransferProtocol.SourceAborted message) implements Wire {}

    /**
     * The source has computed the prompt: from now on, every moment without the K/V is exposed handoff stall. Commentary; a
     * loss costs only a figure.
     */
    public record PrefillComputed(Fence fence) implements Wire {}

    /** The cluster removed the worker of this epoch; everything of it is fenced. */
    public record PeerLost(WorkerEpoch epoch) implements Internal {}
}
