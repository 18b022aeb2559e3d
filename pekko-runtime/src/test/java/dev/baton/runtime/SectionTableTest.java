package dev.baton.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/sections.md} says which tests hold which section of the contract. It is made from the names of the tests; this
 * test fails when the page is out of date, and writes it with {@code -Dbaton.docs.write=true}.
 */
class SectionTableTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/sections.md");
    private static final Pattern TEST = Pattern.compile("void s(0x[0-9A-F]+[A-Z]?)_(\\w+)\\(");

    @Test
    void sectionsPageIsWhatTheTestsSay() throws IOException {
        String made = page();
        if (Boolean.getBoolean("baton.docs.write")) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/sections.md is out of date; run: ./baton docs")
                .isEqualTo(made);
    }

    private static String page() throws IOException {
        Map<String, Map<String, List<String>>> bySection = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.filter(file -> file.toString().endsWith(".java")
                            && file.toString().contains("src/test/java")
                            && !file.toString().contains("/target/"))
                    .sorted()
                    .forEach(file -> collect(file, bySection));
        }
        StringBuilder page = new StringBuilder("""
                # Sections of the contract and the tests that hold them

                Made from the names of the tests by `SectionTableTest`; do not edit. A test is named after its section and its sentence.
                """);
        bySection.forEach((section, classes) -> {
            page.append("\n## §").append(section).append('\n');
            classes.forEach((type, tests) -> {
                page.append("* `").append(type).append("`\n");
                tests.forEach(test -> page.append("  * ").append(sentence(test)).append('\n'));
            });
        });
        return page.toString();
    }

    private static void collect(Path file, Map<String, Map<String, List<String>>> bySection) {
        try {
            Matcher test = TEST.matcher(Files.readString(file));
            String type = file.getFileName().toString().replace(".java", "");
            while (test.find()) {
                bySection
                        .computeIfAbsent(test.group(1), _ -> new TreeMap<>())
                        .computeIfAbsent(type, _ -> new ArrayList<>())
                        .add(test.group(2));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code publishRequiresEveryChunkVisible} becomes "publish requires every chunk visible". */
    private static String sentence(String name) {
        return name.replace('_', ' ').replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(java.util.Locale.ROOT);
    }
}
