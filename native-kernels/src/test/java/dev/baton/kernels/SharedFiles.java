package dev.baton.kernels;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds test material that is not part of the project: {@code -Dbaton.shared}, {@code BATON_SHARED}, or {@code shared} beside it. */
public final class SharedFiles {

    private SharedFiles() {}

    /** The file, or the test is skipped with a message. */
    public static Path require(String relative) {
        Path file = root().resolve(relative);
        assumeTrue(Files.exists(file), () -> "skipped: no " + relative + " (set BATON_SHARED to the shared folder)");
        return file;
    }

    private static Path root() {
        @Nullable String named = System.getProperty("baton.shared", System.getenv("BATON_SHARED"));
        if (named != null) {
            return Path.of(named);
        }
        Path at = Path.of("").toAbsolutePath();
        while (at.getParent() != null && !Files.isDirectory(at.resolve("shared").resolve("models"))) {
            at = at.getParent();
        }
        return at.resolve("shared");
    }
}
