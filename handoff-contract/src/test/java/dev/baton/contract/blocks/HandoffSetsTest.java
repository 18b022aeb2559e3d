package dev.baton.contract.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoffSetsTest {
    /** A block of 1,024 bytes over all layers: 2 layers, 2 * 1 * 16 scalars of two bytes per token, 8 tokens. */
    private static final TensorAbi TOY =
            new TensorAbi(ElementType.BF16, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, 2, 1, 16, 8, Partition.WHOLE);

    private final HandoffSets example = HandoffSets.of(8, BlockSet.range(0, 3), BlockSet.range(0, 1));

    @Test
    void s0x01A_theComputeSetIsWhatTheSourceLacks() {
        assertThat(example.computeSet()).isEqualTo(BlockSet.of(3, 4, 5, 6, 7));
        assertThat(example.computeSet().count()).isEqualTo(5);
    }

    @Test
    void s0x01A_theTransferSetIsWhatTheDestinationLacks() {
        assertThat(example.transferSet()).isEqualTo(BlockSet.of(1, 2, 3, 4, 5, 6, 7));
        assertThat(example.transferSet().count()).isEqualTo(7);
    }

    @Test
    void s0x01A_bytesFollowTheTransferSet() {
        assertThat(TOY.layerBlockBytes() * TOY.layers()).isEqualTo(1024);
        assertThat(example.transferBlockBytes(TOY)).isEqualTo(7168);
    }

    @Test
    void s0x01A_aWarmDestinationNeedsNothing() {
        HandoffSets warm = HandoffSets.of(8, BlockSet.EMPTY, BlockSet.range(0, 8));

        assertThat(warm.transferSet().isEmpty()).isTrue();
        assertThat(warm.transferBlockBytes(TOY)).isZero();
        assertThat(warm.computeSet()).isEqualTo(warm.universe());
    }

    @Test
    void s0x01A_stateBeyondThePromptChangesNothing() {
        assertThat(HandoffSets.of(2, BlockSet.range(0, 5), BlockSet.of(1, 9)).transferSet())
                .isEqualTo(BlockSet.of(0));
    }

    @Test
    void s0x01A_aBlockSetAscendsWithoutRepeats() {
        assertThat(BlockSet.of(3, 1, 3)).isEqualTo(new BlockSet(List.of(1, 3)));
        assertThatThrownBy(() -> new BlockSet(List.of(1, 1))).hasMessageContaining("ascend");
        assertThatThrownBy(() -> new BlockSet(List.of(2, 1))).hasMessageContaining("ascend");
        assertThatThrownBy(() -> new BlockSet(List.of(-1))).hasMessageContaining("ascend");
    }
}
