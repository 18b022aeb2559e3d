package dev.baton.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TrafficLedgerTest {
    @Test
    void s0x01A_physicalTrafficIsNotHiddenInLogicalBytes() {
        TrafficLedger ledger = TrafficLedger.sent(700, 1024, 64)
                .plus(TrafficLedger.sent(1024, 1024, 64))
                .plus(TrafficLedger.resent(1024, 64));

        assertThat(ledger.logicalKvBytes()).isEqualTo(1724);
        assertThat(ledger.payloadBytes()).isEqualTo(2048);
        assertThat(ledger.paddingBytes()).isEqualTo(324);
        assertThat(ledger.headerBytes()).isEqualTo(128);
        assertThat(ledger.retriedBytes()).isEqualTo(1088);
        assertThat(ledger.wireBytes()).isEqualTo(2048 + 128 + 1088);
    }

    @Test
    void s0x06_aRetryMovesNoNewState() {
        TrafficLedger once = TrafficLedger.sent(1000, 1000, 10);

        assertThat(once.plus(TrafficLedger.resent(1000, 10)).logicalKvBytes()).isEqualTo(once.logicalKvBytes());
    }

    @Test
    void s0x06_thePayloadMustHoldTheState() {
        assertThatThrownBy(() -> TrafficLedger.sent(1025, 1024, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1024");
    }

    @Test
    void s0x06_amountsAreNotNegative() {
        assertThatThrownBy(() -> new TrafficLedger(-1, 0, 0, 0)).hasMessageContaining("logicalKvBytes");
        assertThatThrownBy(() -> new TrafficLedger(0, -1, 0, 0)).hasMessageContaining("paddingBytes");
        assertThatThrownBy(() -> new TrafficLedger(0, 0, -1, 0)).hasMessageContaining("headerBytes");
        assertThatThrownBy(() -> new TrafficLedger(0, 0, 0, -1)).hasMessageContaining("retriedBytes");
    }
}
