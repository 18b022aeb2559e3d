package dev.baton.runtime;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The walls of ARCHITECTURE.md. */
class ArchitectureTest {

    private static final List<String> MODULES = List.of(
            "handoff-contract",
            "native-kernels",
            "actors-transfer",
            "actors-scheduler",
            "actors-prefill",
            "actors-decode",
            "pekko-runtime");

    private static final JavaClasses CLASSES = new ClassFileImporter().importPaths(classDirectories());

    private static List<Path> classDirectories() {
        Path root = Path.of("..").toAbsolutePath().normalize();
        List<Path> directories = MODULES.stream()
                .map(module -> root.resolve(module).resolve("target/classes"))
                .toList();
        assertThat(directories).allMatch(Files::isDirectory, "is built");
        return directories;
    }

    @Test
    void modulesLookOnlyDown() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("dev.baton..")
                .layer("contract")
                .definedBy("dev.baton.contract..")
                .layer("kernels")
                .definedBy("dev.baton.kernels..")
                .layer("transfer")
                .definedBy("dev.baton.transfer..")
                .layer("scheduler")
                .definedBy("dev.baton.scheduler..")
                .layer("prefill")
                .definedBy("dev.baton.prefill..")
                .layer("decode")
                .definedBy("dev.baton.decode..")
                .layer("runtime")
                .definedBy("dev.baton.runtime..")
                .whereLayer("contract")
                .mayNotAccessAnyLayer()
                .whereLayer("kernels")
                .mayOnlyAccessLayers("contract")
                .whereLayer("transfer")
                .mayOnlyAccessLayers("contract", "kernels")
                .whereLayer("scheduler")
                .mayOnlyAccessLayers("contract", "kernels", "transfer")
                .whereLayer("prefill")
                .mayOnlyAccessLayers("contract", "kernels", "transfer", "scheduler")
                .whereLayer("decode")
                .mayOnlyAccessLayers("contract", "kernels", "transfer", "scheduler")
                .check(CLASSES);
    }

    @Test
    void theContractDependsOnNothing() {
        noClasses()
                .that()
                .resideInAPackage("dev.baton.contract..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "org.apache.pekko..", "io.aeron..", "org.agrona..", "com.fasterxml..", "java.lang.foreign.."))
                .check(CLASSES);
    }

    @Test
    void pekkoStaysInShells() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.baton.kernels..",
                        "dev.baton.transfer.destination..",
                        "dev.baton.transfer.source..",
                        "dev.baton.transfer.chunk..",
                        "dev.baton.transfer.directory..",
                        "dev.baton.transfer.credit..",
                        "dev.baton.scheduler.mls",
                        "dev.baton.scheduler.kv")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.apache.pekko.."))
                .check(CLASSES);
    }

    @Test
    void machinesReadNoClockAndDrawNoNumbers() {
        noClasses()
                .that()
                .haveSimpleNameEndingWith("Machine")
                .or()
                .haveSimpleName("DestinationTransfer")
                .or()
                .haveSimpleName("SourceTransfer")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat(
                        resideInAnyPackage("java.util.random..", "java.io..", "java.nio.file..", "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void downcallsAreMadeOnlyInFfi() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.baton.kernels.ffi..")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(java.lang.foreign.Linker.class, java.lang.foreign.SymbolLookup.class)
                .check(CLASSES);
    }

    @Test
    void everyModuleIsChecked() {
        assertThat(Stream.of("contract", "kernels", "transfer", "scheduler", "prefill", "decode", "runtime"))
                .allSatisfy(name -> assertThat(
                                CLASSES.stream().filter(c -> c.getPackageName().startsWith("dev.baton." + name)))
                        .as(name)
                        .isNotEmpty());
    }
}
