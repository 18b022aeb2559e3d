package dev.baton.runtime.acceptance;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Models that are too large or not ours to commit; tests that need them skip where they are missing. */
final class SharedModels {
    private SharedModels() {}

    static Path require(String name) {
        for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
            Path file = up.resolve("shared/models").resolve(name);
            if (Files.isReadable(file)) {
                return file;
            }
        }
        return Assumptions.<Path>abort("skipped: shared/models/" + name + " is not beside this checkout");
    }
}
