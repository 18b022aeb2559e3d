package dev.baton.scheduler.request;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.Optional;

/**
 * The pair of workers that serves some choices of a request under one fence.
 *
 * @param fence reservation {@link #UNRESERVED} until the destination has named it
 * @param colocated one worker for both phases, without a transfer
 * @param firstChoice first of the request's choices that this binding serves
 * @param choices number of choices, consecutive
 * @param firstIndex index of the token sampled where prefill ends
 * @param prefillLive whether the prefill leg holds something that must be cancelled
 */
public record Binding(
        RouteGrant grant,
        Fence fence,
        boolean colocated,
        int firstChoice,
        int choices,
        int firstIndex,
        boolean prefillLive) {

    /** Names whatever the worker reserved for this generation and attempt. */
    public static final ReservationId UNRESERVED = new ReservationId(0);

    public WorkerRef decode() {
        return grant.decode();
    }

    public WorkerRef prefill() {
        return grant.prefill();
    }

    public boolean reserved() {
        return !fence.reservation().equals(UNRESERVED);
    }

    /** Whether the loss of this incarnation ends the binding. */
    public boolean dependsOn(WorkerId worker, WorkerEpoch epoch) {
        return is(decode(), worker, epoch) || ((prefillLive || !reserved()) && is(prefill(), worker, epoch));
    }

    private static boolean is(WorkerRef ref, WorkerId worker, WorkerEpoch epoch) {
        return ref.worker().equals(worker) && ref.epoch().equals(epoch);
    }

    /** The first field in which a worker's fence differs; the reservation only counts once it is known. */
    public Optional<FenceField> mismatch(Fence other) {
        return fence.firstMismatch(other).filter(field -> field != FenceField.RESERVATION || reserved());
    }

    public boolean supersedes(Fence other) {
        int byGeneration = fence.generation().compareTo(other.generation());
        return byGeneration > 0 || (byGeneration == 0 && fence.attempt().compareTo(other.attempt()) > 0);
    }

    public Binding under(Fence reservedFence, boolean withPrefill) {
        return new Binding(grant, reservedFence, colocated, firstChoice, choices, firstIndex, withPrefill);
    }

    public Binding withoutPrefill() {
        return under(fence, false);
    }
}
