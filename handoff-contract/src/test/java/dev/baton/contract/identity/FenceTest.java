package dev.baton.contract.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FenceTest {
    private static final TenantId TENANT = new TenantId("acme");
    private static final RequestId REQUEST = new RequestId("req-1");
    private static final Generation GENERATION = new Generation(3);
    private static final Attempt ATTEMPT = new Attempt(4);
    private static final WorkerEpoch SOURCE = new WorkerEpoch(5);
    private static final WorkerEpoch DESTINATION = new WorkerEpoch(6);
    private static final ReservationId RESERVATION = new ReservationId(7);
    private static final Fence FENCE =
            new Fence(TENANT, REQUEST, GENERATION, ATTEMPT, SOURCE, DESTINATION, RESERVATION);

    @ParameterizedTest
    @EnumSource(FenceField.class)
    void s0x01A_everyOneFieldMutationIsNamed(FenceField field) {
        assertThat(FENCE.firstMismatch(mutated(field))).hasValue(field);
        assertThat(mutated(field).firstMismatch(FENCE)).hasValue(field);
    }

    @Test
    void s0x01A_anEqualFenceHasNoMismatch() {
        assertThat(FENCE.firstMismatch(
                        new Fence(TENANT, REQUEST, GENERATION, ATTEMPT, SOURCE, DESTINATION, RESERVATION)))
                .isEmpty();
    }

    @Test
    void s0x01A_theFirstOfSeveralMismatchesIsNamed() {
        Fence other = new Fence(
                TENANT,
                REQUEST,
                GENERATION,
                ATTEMPT.next(),
                new WorkerEpoch(99),
                new WorkerEpoch(99),
                new ReservationId(99));

        assertThat(FENCE.firstMismatch(other)).hasValue(FenceField.ATTEMPT);
    }

    @Test
    void s0x06A_theTransferIdIsAFunctionOfWhatItNames() {
        TransferId id = FENCE.transferId();

        assertThat(id).isEqualTo(TransferId.of(TENANT, REQUEST, GENERATION, ATTEMPT));
        assertThat(id.toString()).hasSize(32).matches("[0-9a-f]+");
        for (FenceField worker :
                List.of(FenceField.SOURCE_EPOCH, FenceField.DESTINATION_EPOCH, FenceField.RESERVATION)) {
            assertThat(mutated(worker).transferId()).as("%s", worker).isEqualTo(id);
        }
    }

    @Test
    void s0x06A_noTwoAttemptsShareATransferId() {
        Set<TransferId> ids = new HashSet<>();
        for (String tenant : List.of("a", "ab")) {
            for (String request : List.of("c", "bc", "1")) {
                for (long generation = 1; generation <= 12; generation++) {
                    for (long attempt = 1; attempt <= 12; attempt++) {
                        ids.add(TransferId.of(
                                new TenantId(tenant),
                                new RequestId(request),
                                new Generation(generation),
                                new Attempt(attempt)));
                    }
                }
            }
        }

        assertThat(ids).hasSize(2 * 3 * 12 * 12);
    }

    @Test
    void s0x06A_theTransferIdOfAJournalledRequestNeverChanges() {
        assertThat(TransferId.of(TENANT, REQUEST, Generation.FIRST, Attempt.FIRST))
                .hasToString("7a8eed08f58bc24048e44defa21cbf4f");
    }

    @Test
    void s0x06A_transferIdsAreOrderedAsUnsigned() {
        assertThat(new TransferId(-1, 0)).isGreaterThan(new TransferId(1, 0));
        assertThat(new TransferId(1, -1)).isGreaterThan(new TransferId(1, 1));
    }

    /** The same fence but for one field. */
    private static Fence mutated(FenceField changed) {
        return new Fence(
                changed == FenceField.TENANT ? new TenantId("other") : TENANT,
                changed == FenceField.REQUEST ? new RequestId("req-2") : REQUEST,
                changed == FenceField.GENERATION ? GENERATION.next() : GENERATION,
                changed == FenceField.ATTEMPT ? ATTEMPT.next() : ATTEMPT,
                changed == FenceField.SOURCE_EPOCH ? new WorkerEpoch(50) : SOURCE,
                changed == FenceField.DESTINATION_EPOCH ? new WorkerEpoch(60) : DESTINATION,
                changed == FenceField.RESERVATION ? new ReservationId(70) : RESERVATION);
    }
}
