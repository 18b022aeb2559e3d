package dev.baton.contract.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.identity.WorkerEpoch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoffManifestTest {
    private final HandoffManifest manifest = Manifests.valid();

    @Test
    void s0x01A_theFenceIsTakenFromRequestAndPlacement() {
        assertThat(manifest.fence())
                .isEqualTo(new Fence(
                        new TenantId("acme"),
                        new RequestId("req-1"),
                        new Generation(3),
                        new Attempt(4),
                        new WorkerEpoch(5),
                        new WorkerEpoch(6),
                        new ReservationId(7)));
        assertThat(manifest.fence().transferId()).isEqualTo(manifest.placement().transfer());
    }

    @Test
    void s0x10_theKeyNamesWhatTheBytesMean() {
        assertThat(manifest.key())
                .isEqualTo(new TransferKey(
                        new RequestId("req-1"),
                        Manifests.digest("prompt"),
                        Manifests.digest("weights"),
                        Digests.NONE,
                        Manifests.digest("rope"),
                        Manifests.ABI.digest(),
                        "tp0/1,pp0/1",
                        "tp0/1,pp0/1",
                        16,
                        34,
                        new Generation(3)));
    }

    @Test
    void s0x06_logicalBytesExcludePadding() {
        assertThat(manifest.logicalKvBytes()).isEqualTo(34 * Manifests.ABI.tokenBytes());
        assertThat(manifest.chunkPlan().payloadBytes()).isEqualTo(48 * Manifests.ABI.tokenBytes());
    }

    @Test
    void s0x01A_theIntervalLiesWithinThePrompt() {
        assertThatThrownBy(() -> Manifests.of(new TokenInterval(16, 35), 50, 1024))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("51")
                .hasMessageContaining("50");
    }

    @Test
    void s0x01A_theIntervalStartsAtABlock() {
        assertThatThrownBy(() -> Manifests.of(new TokenInterval(17, 3), 50, 1024))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("block boundary");
    }

    @Test
    void s0x01A_theChunkLimitIsPositive() {
        assertThatThrownBy(() -> Manifests.of(new TokenInterval(0, 1), 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chunkPayloadLimitBytes");
    }

    @Test
    void s0x01A_anIntervalIsNeverEmptyNegativeOrTooLong() {
        assertThatThrownBy(() -> new TokenInterval(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TokenInterval(-1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TokenInterval(2, Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThat(new TokenInterval(4, 8).covers(new TokenInterval(4, 8))).isTrue();
        assertThat(new TokenInterval(4, 8).covers(new TokenInterval(5, 8))).isFalse();
        assertThat(new TokenInterval(4, 8).covers(new TokenInterval(3, 2))).isFalse();
    }

    @Test
    void s0x01A_aManifestDoesNotChangeWithTheListsItWasMadeFrom() {
        List<Integer> tokens = new ArrayList<>(List.of(1));
        List<Long> checksums = new ArrayList<>(List.of(9L));
        Continuation continuation = new Continuation(tokens, 1);
        Seal seal = new Seal(checksums, continuation);
        tokens.add(2);
        checksums.add(8L);

        assertThat(continuation.firstTokens()).containsExactly(1);
        assertThat(seal.checksums()).containsExactly(9L);
    }

    @Test
    void s0x01A_thePromptDigestDependsOnEveryTokenAndOnTheirOrder() {
        assertThat(Digests.ofTokens(List.of(1, 2)))
                .isEqualTo(Digests.ofTokens(List.of(1, 2)))
                .isNotEqualTo(Digests.ofTokens(List.of(2, 1)))
                .isNotEqualTo(Digests.ofTokens(List.of(1, 2, 0)))
                .isNotEqualTo(Digests.ofTokens(List.of(1 + 2 * 256)));
        assertThat(Digests.ofTokens(List.of())).isEqualTo(Digests.NONE);
    }
}
