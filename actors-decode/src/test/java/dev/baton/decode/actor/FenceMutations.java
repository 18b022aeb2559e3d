package dev.baton.decode.actor;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import java.util.List;

/** Every fence that differs from a given one in one field. */
final class FenceMutations {
    private FenceMutations() {}

    static List<Fence> of(Fence f) {
        WorkerEpoch otherSource = new WorkerEpoch(f.sourceEpoch().value() + 1);
        WorkerEpoch otherDestination = new WorkerEpoch(f.destinationEpoch().value() + 1);
        ReservationId other = new ReservationId(f.reservation().value() + 1);
        return List.of(
                new Fence(
                        new TenantId("other"),
                        f.request(),
                        f.generation(),
                        f.attempt(),
                        f.sourceEpoch(),
                        f.destinationEpoch(),
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        new RequestId("other"),
                        f.generation(),
                        f.attempt(),
                        f.sourceEpoch(),
                        f.destinationEpoch(),
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        f.request(),
                        f.generation().next(),
                        f.attempt(),
                        f.sourceEpoch(),
                        f.destinationEpoch(),
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        f.request(),
                        f.generation(),
                        new Attempt(f.attempt().value() + 1),
                        f.sourceEpoch(),
                        f.destinationEpoch(),
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        f.request(),
                        f.generation(),
                        f.attempt(),
                        otherSource,
                        f.destinationEpoch(),
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        f.request(),
                        f.generation(),
                        f.attempt(),
                        f.sourceEpoch(),
                        otherDestination,
                        f.reservation()),
                new Fence(
                        f.tenant(),
                        f.request(),
                        f.generation(),
                        f.attempt(),
                        f.sourceEpoch(),
                        f.destinationEpoch(),
                        other));
    }
}
