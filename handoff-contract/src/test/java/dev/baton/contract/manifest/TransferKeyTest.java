package dev.baton.contract.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransferKeyTest {
    private static final TransferKey KEY = key(null);

    @ParameterizedTest
    @EnumSource(KeyField.class)
    void s0x10_everyOneFieldMutationIsNamed(KeyField field) {
        assertThat(KEY.firstMismatch(key(field))).hasValue(field);
        assertThat(key(field).firstMismatch(KEY)).hasValue(field);
    }

    @Test
    void s0x10_anEqualKeyHasNoMismatch() {
        assertThat(KEY.firstMismatch(key(null))).isEmpty();
    }

    @Test
    void s0x10_theTableHasARowForEveryComponent() {
        assertThat(TransferKey.class.getRecordComponents()).hasSize(KeyField.values().length);
    }

    /** The same key but for one field. */
    private static TransferKey key(@Nullable KeyField changed) {
        return new TransferKey(
                new RequestId(changed == KeyField.REQUEST ? "req-2" : "req-1"),
                Manifests.digest(changed == KeyField.PROMPT_DIGEST ? "other" : "prompt"),
                Manifests.digest(changed == KeyField.MODEL ? "other" : "weights"),
                Manifests.digest(changed == KeyField.ADAPTER ? "other" : "adapter"),
                Manifests.digest(changed == KeyField.POSITION_POLICY ? "other" : "rope"),
                Manifests.digest(changed == KeyField.CACHE_SCHEMA ? "other" : "abi"),
                changed == KeyField.SOURCE_PARTITION ? "tp1/2,pp0/1" : "tp0/1,pp0/1",
                changed == KeyField.DESTINATION_PARTITION ? "tp1/2,pp0/1" : "tp0/1,pp0/1",
                changed == KeyField.TOKEN_START ? 16 : 0,
                changed == KeyField.TOKEN_COUNT ? 33 : 32,
                new Generation(changed == KeyField.GENERATION ? 2 : 1));
    }
}
