package dev.baton.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/**
 * The seed gives geometry, rates and four results of §0x02A/B, but its tables of row counts are lost. Prefill of 16 rows after
 * 8, and three decode rows that see 147 in all, are our derivation: with them all four results come out.
 */
class PhaseCostTest {
    private static final PhaseCost BLOCKS = new PhaseCost(4, 64, 160, 8, 2, 8, 2, 2, 2);
    private static final ServiceRates RATES = new ServiceRates(1e12, 1e11);
    private static final double MICROS = 1e3;
    private static final double ROUNDING = 0.0005;

    private final WorkVector prefill = BLOCKS.prefill(16, 8);
    private final WorkVector decode = BLOCKS.decode(40, 49, 58);

    @Test
    void s0x02A_parametersOfOneLayer() {
        assertThat(BLOCKS.layerParameters()).isEqualTo(64 * 64 + 2 * 64 * 16 + 64 * 64 + 3 * 64 * 160);
    }

    @Test
    void s0x02A_prefillPairsAreThePrefixAndTheTriangle() {
        assertThat(PhaseCost.prefillCausalPairs(16, 8)).isEqualTo(16 * 8 + 136);
        assertThat(PhaseCost.prefillCausalPairs(1, 0)).isEqualTo(1);
    }

    @Test
    void s0x02A_decodePairsAreTheVisibleLengths() {
        assertThat(PhaseCost.decodeCausalPairs(40, 49, 58)).isEqualTo(147);
        assertThatThrownBy(() -> PhaseCost.decodeCausalPairs(3, 0)).hasMessageContaining("length 0");
    }

    @Test
    void s0x02A_chunkedPrefillHasThePairsOfWholePrefill() {
        long chunked = PhaseCost.prefillCausalPairs(5, 0)
                + PhaseCost.prefillCausalPairs(7, 5)
                + PhaseCost.prefillCausalPairs(4, 12);

        assertThat(chunked).isEqualTo(PhaseCost.prefillCausalPairs(16, 0));
    }

    @Test
    void s0x02A_workOfBothPhases() {
        assertThat(BLOCKS.kvTokenBytes()).isEqualTo(256);
        assertThat(prefill).isEqualTo(new WorkVector(5_242_880 + 270_336, 327_680, 24 * 256, 16 * 256, 264, 16));
        assertThat(decode).isEqualTo(new WorkVector(983_040 + 150_528, 327_680, 147 * 256, 3 * 256, 147, 3));
    }

    @Test
    void s0x02B_prefillIsOnTheComputeSideOfTheRidge() {
        assertThat(RATES.ridge()).isEqualTo(10);
        assertThat(prefill.intensity()).isGreaterThan(RATES.ridge());
        assertThat(prefill.lowerBoundNanos(RATES) / MICROS).isCloseTo(5.513, within(ROUNDING));
    }

    @Test
    void s0x02B_decodeIsOnTheStateByteSide() {
        assertThat(decode.intensity()).isLessThan(RATES.ridge());
        assertThat(decode.lowerBoundNanos(RATES) / MICROS).isCloseTo(3.661, within(ROUNDING));
    }

    @Test
    void s0x02B_aMixedSlotReadsWeightsOnceAndDilatesDecode() {
        WorkVector mixed = decode.mixedWith(prefill);

        assertThat(mixed.weightBytes()).isEqualTo(decode.weightBytes());
        assertThat(mixed.lowerBoundNanos(RATES) / MICROS).isCloseTo(6.647, within(ROUNDING));
        assertThat(mixed.lowerBoundNanos(RATES) / decode.lowerBoundNanos(RATES)).isCloseTo(1.816, within(ROUNDING));
    }

    @Test
    void s0x02B_twoModelsDoNotShareASlot() {
        WorkVector other = new PhaseCost(5, 64, 160, 8, 2, 8, 2, 2, 2).decode(1);

        assertThatThrownBy(() -> decode.mixedWith(other)).hasMessageContaining("shares one model");
    }

    @Test
    void s0x02B_ratesArePositive() {
        assertThatThrownBy(() -> new ServiceRates(0, 1)).hasMessageContaining("positive");
        assertThatThrownBy(() -> new ServiceRates(1, Double.NaN)).hasMessageContaining("positive");
    }

    @Test
    void s0x02A_geometryIsPositive() {
        assertThatThrownBy(() -> new PhaseCost(4, 64, 160, 8, 0, 8, 2, 2, 2)).hasMessageContaining("kvHeads");
    }
}
