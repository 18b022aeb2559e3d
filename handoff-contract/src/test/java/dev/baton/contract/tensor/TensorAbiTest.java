package dev.baton.contract.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TensorAbiTest {
    private static final AxisOrder ORDER = AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM;
    private static final TensorAbi ABI = new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, Partition.WHOLE);

    @Test
    void s0x01A_everyFieldChangesTheDigest() {
        List<TensorAbi> mutations = List.of(
                new TensorAbi(ElementType.BF16, ORDER, 30, 3, 64, 16, Partition.WHOLE),
                new TensorAbi(ElementType.F16, ORDER, 31, 3, 64, 16, Partition.WHOLE),
                new TensorAbi(ElementType.F16, ORDER, 30, 4, 64, 16, Partition.WHOLE),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 65, 16, Partition.WHOLE),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 17, Partition.WHOLE),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, new Partition(0, 2, 0, 1)),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, new Partition(1, 2, 0, 1)),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, new Partition(0, 1, 0, 2)),
                new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, new Partition(0, 1, 1, 2)));

        assertThat(mutations.stream().map(TensorAbi::digest).distinct())
                .hasSize(mutations.size())
                .doesNotContain(ABI.digest());
    }

    @Test
    void s0x01A_theDigestNamesEveryComponent() {
        assertThat(TensorAbi.class.getRecordComponents()).hasSize(7);
        assertThat(Partition.class.getRecordComponents()).hasSize(4);
        assertThat(AxisOrder.values()).hasSize(1);
    }

    @Test
    void s0x01A_equalAbisHaveEqualDigests() {
        assertThat(new TensorAbi(ElementType.F16, ORDER, 30, 3, 64, 16, new Partition(0, 1, 0, 1)).digest())
                .isEqualTo(ABI.digest());
    }

    @Test
    void s0x06_bytesOfTokenBlockAndLayer() {
        assertThat(ABI.tokenLayerBytes()).isEqualTo(2 * 3 * 64 * 2);
        assertThat(ABI.tokenBytes()).isEqualTo(30 * 768L);
        assertThat(ABI.layerBlockBytes()).isEqualTo(16 * 768L);
        assertThat(ABI.blocksFor(0)).isZero();
        assertThat(ABI.blocksFor(1)).isEqualTo(1);
        assertThat(ABI.blocksFor(16)).isEqualTo(1);
        assertThat(ABI.blocksFor(17)).isEqualTo(2);
    }

    @Test
    void s0x01A_dimensionsArePositive() {
        assertThatThrownBy(() -> new TensorAbi(ElementType.F16, ORDER, 0, 3, 64, 16, Partition.WHOLE))
                .hasMessageContaining("layers");
        assertThatThrownBy(() -> new TensorAbi(ElementType.F16, ORDER, 1, 0, 64, 16, Partition.WHOLE))
                .hasMessageContaining("kvHeads");
        assertThatThrownBy(() -> new TensorAbi(ElementType.F16, ORDER, 1, 3, -1, 16, Partition.WHOLE))
                .hasMessageContaining("headDim");
        assertThatThrownBy(() -> new TensorAbi(ElementType.F16, ORDER, 1, 3, 64, 0, Partition.WHOLE))
                .hasMessageContaining("blockTokens");
    }

    @Test
    void s0x01A_aPartitionIsWithinItsSplit() {
        assertThatThrownBy(() -> new Partition(2, 2, 0, 1)).hasMessageContaining("tensor rank");
        assertThatThrownBy(() -> new Partition(-1, 2, 0, 1)).hasMessageContaining("tensor rank");
        assertThatThrownBy(() -> new Partition(0, 1, 1, 1)).hasMessageContaining("pipeline stage");
        assertThatThrownBy(() -> new Partition(0, 1, 0, 0)).hasMessageContaining("pipeline stage");
    }
}
