package dev.baton.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TransferId;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicationDirectoryTest {
    private static final RequestId REQUEST = new RequestId("request-1");
    private static final Generation TWO = new Generation(2);
    private static final TransferId OURS = new TransferId(1, 1);
    private static final TransferId OTHER = new TransferId(2, 2);

    private final PublicationDirectory directory = new PublicationDirectory(4);

    @Test
    void s0x06D_publishingAgainGivesTheSameHandle() {
        PublicationHandle handle = published(TWO, OURS);
        assertThat(publish(TWO, OURS)).isEqualTo(new DirectoryAnswer.AlreadyPublishedSame(handle));
        assertThat(directory.publishedCount()).isEqualTo(1);
    }

    @Test
    void s0x10_anEqualOrNewerGenerationOfAnotherTransferWins() {
        PublicationHandle handle = published(TWO, OURS);
        assertThat(publish(TWO, OTHER)).isEqualTo(new DirectoryAnswer.StaleGeneration(TWO));
        assertThat(publish(Generation.FIRST, OTHER)).isEqualTo(new DirectoryAnswer.StaleGeneration(TWO));
        assertThat(directory.lookup(handle, TWO)).isInstanceOf(Lookup.Found.class);
    }

    @Test
    void s0x10_anOlderGenerationIsReplacedAndItsHandleNamed() {
        PublicationHandle old = published(Generation.FIRST, OTHER);
        assertThat(publish(TWO, OURS))
                .isInstanceOfSatisfying(
                        DirectoryAnswer.PublishedOver.class,
                        answer -> assertThat(answer.superseded()).isEqualTo(old));
        assertThat(directory.lookup(old, Generation.FIRST)).isEqualTo(missing(Lookup.Reason.SUPERSEDED));
    }

    @Test
    void aLateOlderGenerationStaysRefusedAfterTheNewerWasConsumed() {
        directory.consume(published(TWO, OURS), TWO);
        assertThat(publish(TWO, OTHER)).isEqualTo(new DirectoryAnswer.StaleGeneration(TWO));
        assertThat(publish(TWO, OURS)).isEqualTo(new DirectoryAnswer.AlreadyEnded(EndReason.CONSUMED));
        assertThat(publish(TWO.next(), OTHER)).isInstanceOf(DirectoryAnswer.Published.class);
    }

    @Test
    void everyMissingHandleHasItsOwnReason() {
        PublicationHandle forged = new PublicationHandle(REQUEST, TWO, OURS, 99);
        assertThat(directory.lookup(forged, TWO)).isEqualTo(missing(Lookup.Reason.UNKNOWN));
        PublicationHandle handle = published(TWO, OURS);
        assertThat(directory.lookup(forged, TWO)).isEqualTo(missing(Lookup.Reason.UNKNOWN));
        assertThat(directory.lookup(handle, TWO.next())).isEqualTo(missing(Lookup.Reason.GENERATION_MISMATCH));
        assertThat(directory.consume(handle, TWO)).isEqualTo(new Lookup.Found(handle, List.of(4, 5)));
        assertThat(directory.consume(handle, TWO)).isEqualTo(missing(Lookup.Reason.CONSUMED));
        PublicationHandle unclaimed = published(TWO.next(), OTHER);
        assertThat(directory.expire(999)).isEmpty();
        assertThat(directory.expire(1_000)).containsExactly(new Lookup.Found(unclaimed, List.of(4, 5)));
        assertThat(directory.lookup(unclaimed, TWO.next())).isEqualTo(missing(Lookup.Reason.EXPIRED));
    }

    @Test
    void aWithdrawnTransferNeverPublishesAndAnotherAttemptOfItsGenerationMay() {
        PublicationHandle handle = published(TWO, OURS);
        assertThat(directory.withdraw(REQUEST, OURS)).isEqualTo(new DirectoryAnswer.Withdrawn());
        assertThat(directory.withdraw(REQUEST, OURS)).isEqualTo(new DirectoryAnswer.Withdrawn());
        assertThat(directory.lookup(handle, TWO)).isEqualTo(missing(Lookup.Reason.WITHDRAWN));
        assertThat(publish(TWO, OURS)).isEqualTo(new DirectoryAnswer.AlreadyEnded(EndReason.WITHDRAWN));
        assertThat(publish(TWO, OTHER)).isInstanceOf(DirectoryAnswer.Published.class);
    }

    @Test
    void aWithdrawalThatArrivesFirstHoldsAndAnEndedPublicationCannotBeWithdrawn() {
        directory.withdraw(REQUEST, OURS);
        assertThat(publish(TWO, OURS)).isEqualTo(new DirectoryAnswer.AlreadyEnded(EndReason.WITHDRAWN));
        directory.consume(published(TWO, OTHER), TWO);
        assertThat(directory.withdraw(REQUEST, OTHER)).isEqualTo(new DirectoryAnswer.AlreadyEnded(EndReason.CONSUMED));
    }

    @Test
    void memoryOfEndedHandlesIsBounded() {
        for (int i = 0; i < 100; i++) {
            directory.withdraw(new RequestId("request-" + i), new TransferId(0, i));
        }
        assertThat(directory.rememberedCount()).isEqualTo(4);
    }

    private DirectoryAnswer publish(Generation generation, TransferId transfer) {
        return directory.publishIfGenerationCurrent(REQUEST, generation, transfer, List.of(4, 5), 1_000);
    }

    private PublicationHandle published(Generation generation, TransferId transfer) {
        return ((DirectoryAnswer.Published) publish(generation, transfer)).handle();
    }

    private static Lookup missing(Lookup.Reason reason) {
        return new Lookup.Missing(reason);
    }
}
