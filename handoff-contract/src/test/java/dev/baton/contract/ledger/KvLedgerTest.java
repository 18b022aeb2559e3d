package dev.baton.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.baton.contract.manifest.TokenInterval;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import org.junit.jupiter.api.Test;

class KvLedgerTest {
    /** The seed's running configuration: L = 32, H_kv = 8, d_h = 128, two bytes. */
    private static final KvLedger RUNNING = new KvLedger(
            new TensorAbi(ElementType.BF16, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, 32, 8, 128, 16, Partition.WHOLE));

    @Test
    void s0x06_oneTokenIs128KibInTheRunningConfiguration() {
        assertThat(RUNNING.tokenBytes()).isEqualTo(131_072);
    }

    @Test
    void s0x06_aPromptOf4096RowsIs512Mib() {
        assertThat(RUNNING.logicalKvBytes(4096)).isEqualTo(512L << 20);
    }

    @Test
    void s0x06_wholeBlocksIncludeTheirPadding() {
        TokenInterval tokens = new TokenInterval(32, 17);

        assertThat(RUNNING.logicalKvBytes(17)).isEqualTo(17 * 131_072L);
        assertThat(RUNNING.payloadBytes(tokens)).isEqualTo(32 * 131_072L);
        assertThat(RUNNING.paddingBytes(tokens)).isEqualTo(15 * 131_072L);
    }

    @Test
    void s0x06_wholeBlocksHaveNoPadding() {
        assertThat(RUNNING.paddingBytes(new TokenInterval(16, 48))).isZero();
    }

    @Test
    void s0x06_payloadTimeIsBytesOverBandwidth() {
        assertThat(KvLedger.payloadServiceNanos(512L << 20, 25e9)).isCloseTo(21_474_836, within(1.0));
        assertThat(KvLedger.payloadServiceNanos(0, 25e9)).isZero();
        assertThatThrownBy(() -> KvLedger.payloadServiceNanos(1, 0)).hasMessageContaining("bytesPerSecond");
    }

    @Test
    void s0x06_negativeRowsAreRefused() {
        assertThatThrownBy(() -> RUNNING.logicalKvBytes(-1)).hasMessageContaining("rows");
    }
}
