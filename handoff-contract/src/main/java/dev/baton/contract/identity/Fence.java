package dev.baton.contract.identity;

import java.util.Optional;

/**
 * The identity fence of §0x01A. Every message that changes a transfer carries one; a machine compares it with its own
 * before anything else, because a stale message can carry perfectly valid bytes.
 */
public record Fence(
        TenantId tenant,
        RequestId request,
        Generation generation,
        Attempt attempt,
        WorkerEpoch sourceEpoch,
        WorkerEpoch destinationEpoch,
        ReservationId reservation) {

    /** The first field in which {@code other} differs, in declaration order; empty when the fences are equal. */
    public Optional<FenceField> firstMismatch(Fence other) {
        if (!tenant.equals(other.tenant)) {
            return Optional.of(FenceField.TENANT);
        }
        if (!request.equals(other.request)) {
            return Optional.of(FenceField.REQUEST);
        }
        if (!generation.equals(other.generation)) {
            return Optional.of(FenceField.GENERATION);
        }
        if (!attempt.equals(other.attempt)) {
            return Optional.of(FenceField.ATTEMPT);
        }
        if (!sourceEpoch.equals(other.sourceEpoch)) {
            return Optional.of(FenceField.SOURCE_EPOCH);
        }
        if (!destinationEpoch.equals(other.destinationEpoch)) {
            return Optional.of(FenceField.DESTINATION_EPOCH);
        }
        if (!reservation.equals(other.reservation)) {
            return Optional.of(FenceField.RESERVATION);
        }
        return Optional.empty();
    }

    public TransferId transferId() {
        return TransferId.of(tenant, request, generation, attempt);
    }
}
