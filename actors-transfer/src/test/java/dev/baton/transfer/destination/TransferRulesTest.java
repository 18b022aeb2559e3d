package dev.baton.transfer.destination;

import static dev.baton.transfer.Handoffs.CHUNKS;
import static dev.baton.transfer.Handoffs.CHUNK_BYTES;
import static dev.baton.transfer.Handoffs.CONTINUATION;
import static dev.baton.transfer.Handoffs.TERMS;
import static dev.baton.transfer.Handoffs.checksum;
import static dev.baton.transfer.Handoffs.mutated;
import static dev.baton.transfer.Handoffs.seal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.FenceField;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.KeyField;
import dev.baton.contract.manifest.Seal;
import dev.baton.transfer.Handoffs;
import dev.baton.transfer.chunk.ChunkMachine;
import dev.baton.transfer.chunk.ChunkPhase;
import dev.baton.transfer.chunk.ChunkSet;
import dev.baton.transfer.destination.DestinationTransfer.Effect;
import dev.baton.transfer.destination.DestinationTransfer.Event;
import dev.baton.transfer.destination.DestinationTransfer.Refusal;
import dev.baton.transfer.destination.DestinationTransfer.State;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.protocol.Terms;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rules of §0x06A-§0x06E that the destination and the chunk hold, each in a test that fails without it. The seed counts
 * twenty-four mutations without naming them; this is our list. Rules 1-5 and 24 of the source are in {@code SourceTransferTest}.
 *
 * <table>
 * <caption>rule to test</caption>
 * <tr><td>1 producer gate: layer</td><td>SourceTransferTest.s0x06C_theProducerGateOpensPerLayerAndTokenInterval</td></tr>
 * <tr><td>2 producer gate: token interval</td><td>the same, at token 15</td></tr>
 * <tr><td>3 source copy kept until acknowledged</td><td>SourceTransferTest.s0x06D_theOnlyCopyGoesWithTheAcknowledgementAndNotBefore</td></tr>
 * <tr><td>4 credit acquired before send</td><td>rule04</td></tr>
 * <tr><td>5 window bounds bytes in flight</td><td>HandoffExplorationTest (CreditConserved)</td></tr>
 * <tr><td>6 identity fence</td><td>rule06</td></tr>
 * <tr><td>7 transfer key</td><td>rule07</td></tr>
 * <tr><td>8 tensor ABI before any byte</td><td>rule08</td></tr>
 * <tr><td>9 no chunk missing</td><td>rule09</td></tr>
 * <tr><td>10 no unknown chunk</td><td>rule10</td></tr>
 * <tr><td>11 chunk size</td><td>rule11</td></tr>
 * <tr><td>12 exact coverage</td><td>rule12</td></tr>
 * <tr><td>13 checksums against the seal</td><td>rule13</td></tr>
 * <tr><td>14 same chunk with other bytes is corruption</td><td>rule14</td></tr>
 * <tr><td>15 same chunk with the same bytes is idempotent</td><td>rule15</td></tr>
 * <tr><td>16 visible only after received</td><td>rule16</td></tr>
 * <tr><td>17 credit at DEVICE_VISIBLE, not at receive</td><td>rule17</td></tr>
 * <tr><td>18 credit once</td><td>rule18</td></tr>
 * <tr><td>19 publish requires every chunk visible</td><td>rule19</td></tr>
 * <tr><td>20 publish requires the seal</td><td>rule20</td></tr>
 * <tr><td>21 stale generation does not publish</td><td>rule21</td></tr>
 * <tr><td>22 decode admitted only after publication, source told last</td><td>rule22</td></tr>
 * <tr><td>23 published is never aborted</td><td>rule23</td></tr>
 * <tr><td>24 abort order</td><td>rule24</td></tr>
 * </table>
 */
class TransferRulesTest {

    @Test
    void s0x06B_rule04_sentRequiresCredit() {
        assertThat(ChunkMachine.decide(ChunkPhase.DECLARED, new ChunkMachine.Event.Sent()))
                .isEqualTo(Decision.refused(ChunkMachine.Refusal.SENT_WITHOUT_CREDIT));
    }

    @Test
    void s0x01A_rule06_aForeignFenceChangesNothing() {
        DestinationRig rig = whole();
        rig.seal(mutated(TERMS.fence(), FenceField.GENERATION), TERMS.key(), seal());
        assertThat(rig.refusals).containsExactly(Refusal.FENCE_GENERATION);
        assertUnpublished(rig);
    }

    @Test
    void s0x10_rule07_anotherKeyIsNotPublished() {
        DestinationRig rig = whole();
        rig.seal(TERMS.fence(), mutated(TERMS.key(), KeyField.POSITION_POLICY), seal());
        assertUnpublished(rig);
    }

    @Test
    void s0x01A_rule08_anotherTensorAbiIsRefusedBeforeAnyByteMoves() {
        DestinationRig rig = new DestinationRig(
                DestinationTransfer.plan(TERMS, TERMS.key().model(), 0, DestinationRig.DEADLINES, 0));
        rig.tell(new Event.Began(0));
        assertThat(rig.did(Effect.ReserveBlocks.class)).isFalse();
        assertUnpublished(rig);
    }

    @Test
    void s0x06D_rule09_aMissingChunkIsNotPublished() {
        DestinationRig rig = DestinationRig.reserved();
        for (int index = 0; index < CHUNKS - 1; index++) {
            rig.receive(index);
            rig.visible(index);
        }
        rig.seal(seal());
        assertUnpublished(rig);
        DestinationRig shortSeal = whole();
        shortSeal.seal(new Seal(seal().checksums().subList(0, CHUNKS - 1), CONTINUATION));
        assertUnpublished(shortSeal);
    }

    @Test
    void s0x06D_rule10_anUnknownChunkAborts() {
        DestinationRig rig = DestinationRig.transferring();
        rig.receive(TERMS.fence(), CHUNKS, CHUNK_BYTES, 0);
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
    }

    @Test
    void s0x06D_rule11_aChunkOfAnotherSizeAborts() {
        DestinationRig rig = DestinationRig.transferring();
        rig.receive(TERMS.fence(), 2, CHUNK_BYTES + 1, checksum(2));
        assertThat(rig.refusals).containsExactly(Refusal.CHUNK_SIZE);
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
    }

    @Test
    void s0x06D_rule12_aPlanThatMissesATokenIsNotPublished() {
        Terms holed = DestinationFenceTest.withoutTheLastToken();
        ChunkSet visible = ChunkSet.declared(holed.plan());
        for (int index = 0; index < CHUNKS; index++) {
            visible = visible.with(index, ChunkPhase.DEVICE_VISIBLE).withChecksum(index, checksum(index));
        }
        DestinationRig rig = new DestinationRig(
                new State.Transferring(holed, DestinationRig.DEADLINES, DestinationRig.BLOCKS, visible, null, 9_000));
        rig.seal(seal());
        assertThat(rig.refusals).containsExactly(Refusal.COVERAGE);
        assertUnpublished(rig);
    }

    @Test
    void s0x06D_rule13_bytesThatDifferFromTheSealAreNotPublished() {
        DestinationRig rig = whole();
        List<Long> other = new ArrayList<>(seal().checksums());
        other.set(CHUNKS - 1, 0L);
        rig.seal(new Seal(other, CONTINUATION));
        assertThat(rig.refusals).containsExactly(Refusal.CHECKSUM_MISMATCH);
        assertUnpublished(rig);
    }

    @Test
    void s0x06A_rule14_theSameChunkWithOtherBytesAborts() {
        DestinationRig rig = DestinationRig.transferring();
        rig.receive(TERMS.fence(), 1, CHUNK_BYTES, 0);
        assertThat(rig.refusals).containsExactly(Refusal.DUPLICATE_CHUNK_OTHER_CHECKSUM);
        assertThat(rig.state()).isInstanceOf(State.Aborting.class);
    }

    @Test
    void s0x06A_rule15_theSameChunkWithTheSameBytesIsIdempotent() {
        DestinationRig rig = DestinationRig.transferring();
        assertThat(rig.receive(0)).isInstanceOf(Decision.Ignored.class);
        assertThat(rig.receive(1)).isInstanceOf(Decision.Ignored.class);
    }

    @Test
    void s0x06A_rule16_visibleRequiresReceived() {
        DestinationRig rig = DestinationRig.transferring();
        assertThat(rig.visible(3)).isEqualTo(Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED));
    }

    @Test
    void s0x06B_rule17_creditReturnsAtDeviceVisibleAndNotAtReceive() {
        DestinationRig rig = DestinationRig.reserved();
        rig.receive(0);
        assertThat(rig.did(Effect.ReturnCredit.class)).isFalse();
        rig.visible(0);
        assertThat(rig.effects.getLast()).isEqualTo(new Effect.ReturnCredit(TERMS.fence(), 0, CHUNK_BYTES));
    }

    @Test
    void s0x06B_rule18_creditReturnsOncePerChunk() {
        DestinationRig rig = DestinationRig.transferring();
        rig.visible(0);
        rig.receive(0);
        rig.visible(0);
        assertThat(rig.count(Effect.ReturnCredit.class)).isEqualTo(1);
    }

    @Test
    void s0x06D_rule19_publishRequiresEveryChunkVisible() {
        DestinationRig rig = DestinationRig.reserved();
        rig.receiveAll();
        rig.seal(seal());
        for (int index = 0; index < CHUNKS - 1; index++) {
            rig.visible(index);
        }
        assertUnpublished(rig);
        rig.visible(CHUNKS - 1);
        assertThat(rig.did(Effect.Publish.class)).isTrue();
    }

    @Test
    void s0x06D_rule20_publishRequiresTheSeal() {
        assertUnpublished(whole());
    }

    @Test
    void s0x06D_rule21_aStaleGenerationAbortsAndAdmitsNobody() {
        DestinationRig rig = DestinationRig.validated();
        rig.answer(new DirectoryAnswer.StaleGeneration(new Generation(2)));
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertThat(rig.did(Effect.AdmitDecode.class)).isFalse();
        assertThat(rig.did(Effect.AcknowledgeSource.class)).isFalse();
        DestinationLifeTest.assertNothingHeld(rig);
    }

    @Test
    void s0x06D_rule22_decodeIsAdmittedAfterPublicationAndTheSourceToldLast() {
        DestinationRig rig = DestinationRig.validated();
        assertThat(rig.did(Effect.AdmitDecode.class)).isFalse();
        rig.answer(new DirectoryAnswer.AlreadyPublishedSame(DestinationRig.HANDLE));
        assertThat(rig.effectNames().subList(rig.effects.size() - 2, rig.effects.size()))
                .containsExactly("AdmitDecode", "AcknowledgeSource");
    }

    @Test
    void s0x06E_rule23_publishedIsNeverAborted() {
        DestinationRig rig = DestinationRig.published();
        assertThat(rig.cancel()).isEqualTo(Decision.refused(Refusal.ABORT_AFTER_PUBLICATION));
        assertThat(rig.did(Effect.ReleaseBlocks.class)).isFalse();
    }

    @Test
    void s0x06E_rule24_theWayOutKeepsItsOrder() {
        DestinationRig rig = DestinationRig.transferring();
        int before = rig.effects.size();
        rig.cancel();
        rig.tell(new Event.TransportQuiesced(rig.now));
        assertThat(rig.effectNames().subList(before, rig.effects.size()))
                .containsExactly(
                        "TellSourceAborted",
                        "CancelOutstandingChunks",
                        "QuiesceTransport",
                        "ReleaseStagingCredits",
                        "ReleaseBlocks",
                        "RecordTerminalFailure");
        assertThat(rig.effects).contains(new Effect.ReleaseStagingCredits(Handoffs.TERMS.fence(), CHUNK_BYTES));
    }

    /** Every chunk received and visible; not sealed. */
    private static DestinationRig whole() {
        DestinationRig rig = DestinationRig.reserved();
        rig.receiveAll();
        rig.visibleAll();
        return rig;
    }

    private static void assertUnpublished(DestinationRig rig) {
        assertThat(rig.did(Effect.Publish.class)).isFalse();
        assertThat(rig.did(Effect.AdmitDecode.class)).isFalse();
    }
}
