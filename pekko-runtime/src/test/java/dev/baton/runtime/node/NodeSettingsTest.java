package dev.baton.runtime.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.baton.kernels.synth.SyntheticModel;
import dev.baton.runtime.cli.NodeCommands.Overrides;
import dev.baton.runtime.journal.JournalSettings;
import dev.baton.runtime.worker.QuantizedCompute;
import dev.baton.runtime.worker.WorkerSettings;
import dev.baton.scheduler.worker.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeSettingsTest {

    @Test
    void theDocumentedFileIsTheDefault() {
        NodeSettings settings = NodeSettings.defaults();
        assertThat(settings.workers())
                .containsExactly(
                        new NodeSettings.WorkerSettings("prefill-0", Role.PREFILL),
                        new NodeSettings.WorkerSettings("decode-0", Role.DECODE));
        assertThat(settings.journal()).isInstanceOf(JournalSettings.H2.class);
        assertThat(settings.isControl() && settings.isWorker()).isTrue();
    }

    @Test
    void everySectionReadsItsOwnKeys() {
        NodeSettings settings = NodeSettings.defaults();
        WorkerSettings worker = WorkerSettings.of(settings.baton(), SyntheticModel.tiny(), 2, "test");
        assertThat(worker.creditWindowBytes()).isEqualTo(8L << 20);
        assertThat(ControlSettings.of(settings.baton()).request().limits().maxRetries())
                .isEqualTo(3);
    }

    @Test
    void settingsGoOverTheModelOverTheCommandOverTheFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("mine.conf"),
                "baton { http.port = 1, http.host = h, node.name = file, model.file = f }");
        Config command = ConfigFactory.parseString("baton { http.port = 2, node.name = command, model.file = c }");
        NodeSettings settings = NodeLauncher.settings(
                command, new Overrides(Optional.of(file), Optional.of(Path.of("m")), List.of("http.port=3")));
        assertThat(settings.http().port()).isEqualTo(3);
        assertThat(settings.model().file()).isEqualTo("m");
        assertThat(settings.name()).isEqualTo("command");
        assertThat(settings.http().host()).isEqualTo("h");
    }

    @ParameterizedTest
    @CsvSource({
        "baton.journal.kind = mongo, h2, postgres",
        "'baton.workers = [{ name = a, role = cook }]', prefill, decode",
        "baton.http.port = many, http.port, baton.conf",
        "baton.worker.kv.memory = 1, baton.worker.kv.memory, give it at least",
        "baton.worker.device.isa = mmx, avx2, mmx",
    })
    void aWrongValueIsNamedWithItsCure(String setting, String firstWord, String secondWord) {
        assertThatThrownBy(() -> WorkerSettings.of(
                        NodeSettings.of(ConfigFactory.parseString(setting)).baton(), SyntheticModel.tiny(), 1, "test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(firstWord)
                .hasMessageContaining(secondWord);
    }

    @Test
    void aPostgresPasswordIsNotPrinted() {
        var settings = new JournalSettings.Postgres("jdbc:postgresql://h/d", "me", "secret", 4);
        assertThat(settings.toString()).doesNotContain("secret");
    }

    @Test
    void smallModelsAreComputedInF32AndLargeOnesInInt8() {
        assertThat(QuantizedCompute.AUTO.resolve(SyntheticModel.tiny())).isEqualTo(QuantizedCompute.F32);
        assertThat(QuantizedCompute.AUTO.resolve(SyntheticModel.smollm2_135m())).isEqualTo(QuantizedCompute.INT8);
        assertThat(QuantizedCompute.INT8.resolve(SyntheticModel.tiny())).isEqualTo(QuantizedCompute.INT8);
    }
}
