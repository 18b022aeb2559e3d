package dev.baton.transfer.destination;

import static dev.baton.transfer.Handoffs.ABI;
import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CHUNK_BYTES;
import static dev.baton.transfer.Handoffs.CONTINUATION;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;
import static dev.baton.transfer.Handoffs.manifest;
import static dev.baton.transfer.Handoffs.mutated;
import static dev.baton.transfer.Handoffs.seal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.ChunkPlan;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.contract.manifest.Continuation;
import dev.baton.contract.manifest.KeyField;
import dev.baton.contract.manifest.Seal;
import dev.baton.contract.manifest.TokenInterval;
import dev.baton.transfer.Handoffs;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.EndReason;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.protocol.AbortCause;
import dev.baton.transfer.protocol.AbortReason;
import dev.baton.transfer.protocol.Terms;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One-field mutations, and one way to earn each refusal: the switch over all constants is the list. */
class DestinationFenceTest {

    @ParameterizedTest
    @EnumSource(FenceField.class)
    void s0x01A_everyFenceFieldOfEveryMessageIsRefusedByItsOwnReason(FenceField field) {
        Fence stale = mutated(TERMS.fence(), field);
        Refusal expected = Refusal.valueOf("FENCE_" + field);
        List<Event> messages = List.of(
                new Event.ChunkReceived(stale, 2, CHUNK_BYTES, checksum(2), 1_000),
                new Event.SourceSealed(stale, TERMS.key(), seal(), 1_000),
                new Event.SourceAborted(stale, AbortReason.of(AbortCause.CANCELLED), 1_000),
                new Event.Cancelled(stale, 1_000));
        for (Event message : messages) {
            for (DestinationRig rig : inEveryState()) {
                State before = rig.state();
                int effects = rig.effects.size();
                assertThat(rig.tell(message)).isEqualTo(Decision.refused(expected));
                assertThat(rig.state()).isEqualTo(before);
                assertThat(rig.effects).hasSize(effects);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(FenceField.class)
    void s0x01A_aSealUnderAStaleFencePublishesNothing(FenceField field) {
        DestinationRig rig = DestinationRig.reserved();
        rig.receiveAll();
        rig.visibleAll();
        rig.seal(mutated(TERMS.fence(), field), TERMS.key(), seal());
        assertThat(rig.state()).isInstanceOf(State.Transferring.class);
        assertThat(rig.did(Effect.Publish.class)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(KeyField.class)
    void s0x10_everyKeyFieldIsRefusedByItsOwnReasonAndNothingIsPublished(KeyField field) {
        DestinationRig rig = DestinationRig.reserved();
        rig.receiveAll();
        rig.visibleAll();
        rig.seal(TERMS.fence(), mutated(TERMS.key(), field), seal());
        assertThat(rig.refusals).containsExactly(Refusal.valueOf("KEY_" + field));
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
        assertThat(rig.did(Effect.Publish.class)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void everyRefusalIsEarnedAndAdmitsNobody(Refusal refusal) {
        DestinationRig rig = earn(refusal);
        assertThat(rig.refusals).containsExactly(refusal);
        long admissions = rig.state() instanceof State.Published ? 1 : 0;
        assertThat(rig.count(Effect.AdmitDecode.class)).isEqualTo(admissions);
    }

    static List<DestinationRig> inEveryState() {
        return List.of(
                DestinationRig.planned(),
                DestinationRig.begun(),
                DestinationRig.reserved(),
                DestinationRig.transferring(),
                DestinationRig.validated(),
                DestinationRig.published(),
                DestinationRig.aborting(),
                DestinationRig.aborted());
    }

    private static DestinationRig earn(Refusal refusal) {
        return switch (refusal) {
            case FENCE_TENANT -> fence(FenceField.TENANT);
            case FENCE_REQUEST -> fence(FenceField.REQUEST);
            case FENCE_GENERATION -> fence(FenceField.GENERATION);
            case FENCE_ATTEMPT -> fence(FenceField.ATTEMPT);
            case FENCE_SOURCE_EPOCH -> fence(FenceField.SOURCE_EPOCH);
            case FENCE_DESTINATION_EPOCH -> fence(FenceField.DESTINATION_EPOCH);
            case FENCE_RESERVATION -> fence(FenceField.RESERVATION);
            case TENSOR_ABI -> {
                DestinationRig rig = new DestinationRig(DestinationTransfer.plan(
                        TERMS, Handoffs.mutated(TERMS.key(), KeyField.MODEL).model(), 0, DestinationRig.DEADLINES, 0));
                rig.tell(new Event.Began(0));
                assertThat(rig.did(Effect.ReserveBlocks.class)).isFalse();
                yield rig;
            }
            case KEY_REQUEST -> key(KeyField.REQUEST);
            case KEY_PROMPT_DIGEST -> key(KeyField.PROMPT_DIGEST);
            case KEY_MODEL -> key(KeyField.MODEL);
            case KEY_ADAPTER -> key(KeyField.ADAPTER);
            case KEY_POSITION_POLICY -> key(KeyField.POSITION_POLICY);
            case KEY_CACHE_SCHEMA -> key(KeyField.CACHE_SCHEMA);
            case KEY_SOURCE_PARTITION -> key(KeyField.SOURCE_PARTITION);
            case KEY_DESTINATION_PARTITION -> key(KeyField.DESTINATION_PARTITION);
            case KEY_TOKEN_START -> key(KeyField.TOKEN_START);
            case KEY_TOKEN_COUNT -> key(KeyField.TOKEN_COUNT);
            case KEY_GENERATION -> key(KeyField.GENERATION);
            case RESERVATION_MISMATCH -> after(DestinationRig.begun(), new Event.BlocksReserved(List.of(1, 1, 2), 0));
            case RESERVATION_UNASKED -> after(DestinationRig.planned(), new Event.BlocksReserved(List.of(1, 2, 3), 0));
            case NOT_RESERVED ->
                after(DestinationRig.begun(), new Event.ChunkReceived(TERMS.fence(), 0, CHUNK_BYTES, 1, 0));
            case UNKNOWN_CHUNK -> chunk(DestinationRig.transferring(), CHUNKS, CHUNK_BYTES, 1);
            case CHUNK_SIZE -> chunk(DestinationRig.transferring(), 2, CHUNK_BYTES - 1, checksum(2));
            case DUPLICATE_CHUNK_OTHER_SIZE -> chunk(DestinationRig.transferring(), 1, CHUNK_BYTES - 1, checksum(1));
            case DUPLICATE_CHUNK_OTHER_CHECKSUM -> chunk(DestinationRig.transferring(), 0, CHUNK_BYTES, 1);
            case VISIBLE_BEFORE_RECEIVED -> after(DestinationRig.transferring(), new Event.ChunkVisible(5, 0));
            case SEAL_CHUNK_SET -> sealed(new Seal(seal().checksums().subList(1, CHUNKS), CONTINUATION));
            case SEAL_CHANGED -> {
                DestinationRig rig = DestinationRig.transferring();
                rig.seal(seal());
                rig.seal(new Seal(seal().checksums(), new Continuation(List.of(18), 1)));
                yield rig;
            }
            case SEAL_CONTINUATION -> sealed(new Seal(seal().checksums(), new Continuation(List.of(), 1)));
            case CHECKSUM_MISMATCH -> {
                DestinationRig rig = DestinationRig.reserved();
                rig.receiveAll();
                rig.visibleAll();
                List<Long> other = new ArrayList<>(seal().checksums());
                other.set(3, 1L);
                rig.seal(new Seal(other, CONTINUATION));
                yield rig;
            }
            case COVERAGE -> after(DestinationRig.planned(withoutTheLastToken()), new Event.Began(0));
            case DIRECTORY_ANSWER_UNASKED ->
                answered(new DirectoryAnswer.Published(new PublicationHandle(
                        TERMS.fence().request(), TERMS.fence().generation(), new TransferId(1, 1), 1)));
            case STALE_GENERATION -> answered(new DirectoryAnswer.StaleGeneration(new Generation(2)));
            case PUBLICATION_ENDED -> answered(new DirectoryAnswer.AlreadyEnded(EndReason.CONSUMED));
            case ABORT_AFTER_PUBLICATION -> after(DestinationRig.published(), new Event.Cancelled(TERMS.fence(), 0));
        };
    }

    static Terms withoutTheLastToken() {
        ChunkPlan plan = TERMS.plan();
        List<ChunkSpec> chunks = new ArrayList<>(plan.chunks());
        ChunkSpec last = chunks.removeLast();
        chunks.add(new ChunkSpec(
                last.index(),
                last.layer(),
                new TokenInterval(last.tokens().start(), last.tokens().count() - 1),
                last.firstBlock(),
                last.blockCount(),
                last.payloadBytes()));
        return new Terms(manifest(), TERMS.fence(), TERMS.key(), new ChunkPlan(chunks, plan.tokens(), ABI.layers()));
    }

    private static DestinationRig fence(FenceField field) {
        return after(DestinationRig.transferring(), new Event.Cancelled(mutated(TERMS.fence(), field), 0));
    }

    private static DestinationRig key(KeyField field) {
        DestinationRig rig = DestinationRig.transferring();
        rig.seal(TERMS.fence(), mutated(TERMS.key(), field), seal());
        return rig;
    }

    private static DestinationRig chunk(DestinationRig rig, int index, long payloadBytes, long checksum) {
        rig.receive(TERMS.fence(), index, payloadBytes, checksum);
        return rig;
    }

    private static DestinationRig sealed(Seal seal) {
        DestinationRig rig = DestinationRig.transferring();
        rig.seal(seal);
        return rig;
    }

    private static DestinationRig answered(DirectoryAnswer answer) {
        DestinationRig rig = DestinationRig.validated();
        rig.answer(answer);
        return rig;
    }

    private static DestinationRig after(DestinationRig rig, Event event) {
        rig.tell(event);
        return rig;
    }
}
