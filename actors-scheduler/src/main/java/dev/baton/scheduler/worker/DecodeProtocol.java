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

    /** The worker's own messages (from its engine and its link) extend this where they live; they never cross nodes. */
    public interface Command {}

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
            implements Command, WireMessage {}

    /**
     * Prefill and decode on this worker, without a transfer. Answered with DecodeReserved-like admission by FirstTokens, or
     * with LegRefused.
     */
    public record StartColocated(
            TenantId tenant,
            RequestId request,
            Generation generation,
            Attempt attempt,
            WorkerEpoch expectedEpoch,
            RoleEpoch roleEpoch,
            DecodeSpec spec)
            implements Command, WireMessage {}

    /** Tokens of the choice below {@code nextIndex} are journaled; the next batch may come. */
    public record TokensAccepted(Fence fence, int choice, int nextIndex) implements Command, WireMessage {}

    /** The choice ended by a rule of the request (stop string, length). Idempotent. */
    public record EndChoice(Fence fence, int choice) implements Command, WireMessage {}

    /** The request does not want this leg any more: finished, cancelled or superseded. Idempotent, in any state. */
    public record ReleaseDecode(Fence fence, String cause) implements Command, WireMessage {}

    public record SourceSealed(TransferProtocol.SourceSealed message) implements Command, WireMessage {}

    public record SourceAborted(TransferProtocol.SourceAborted message) implements Command, WireMessage {}
}
