package dev.baton.runtime.cli;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What {@code up} started on this machine: {@code .baton/run/cluster.json}, beside one log per process. A process is
 * recognised by its id and its start time together, because ids are used again.
 */
final class RunState {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path directory;

    RunState(Path directory) {
        this.directory = directory;
    }

    /** @param startEpochMillis as the operating system tells it */
    record ProcessEntry(
            String name, String role, long pid, long startEpochMillis, int arteryPort, int httpPort, String log) {

        Optional<ProcessHandle> handle() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> process.info()
                            .startInstant()
                            .map(Instant::toEpochMilli)
                            .filter(start -> start == startEpochMillis)
                            .isPresent());
        }

        @com.fasterxml.jackson.annotation.JsonIgnore
        boolean isRunning() {
            return handle().isPresent();
        }
    }

    record Cluster(String url, List<ProcessEntry> nodes) {
        Cluster {
            nodes = List.copyOf(nodes);
        }
    }

    /** Below Baton's home, which the launcher tells; else below the current folder. */
    static RunState open() {
        return new RunState(Path.of(System.getProperty("baton.home", "."), ".baton", "run"));
    }

    Path directory() {
        return directory;
    }

    Path log(String node) {
        return directory.resolve(node + ".log");
    }

    Optional<Cluster> read() {
        if (!Files.exists(file())) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(file().toFile(), new TypeReference<Cluster>() {}));
        } catch (IOException e) {
            throw new CliFailure(
                    file() + " can't be read (" + e.getMessage()
                            + "); end the processes it names yourself and delete it",
                    e);
        }
    }

    /** Replaces the file in one step, so a reader never sees half of it. */
    void write(Cluster cluster) {
        try {
            Files.createDirectories(directory);
            Path next = directory.resolve("cluster.json.next");
            JSON.writeValue(next.toFile(), cluster);
            Files.move(next, file(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new CliFailure(file() + " can't be written: " + e.getMessage(), e);
        }
    }

    void forget() {
        try {
            Files.deleteIfExists(file());
        } catch (IOException e) {
            throw new CliFailure(file() + " can't be deleted: " + e.getMessage(), e);
        }
    }

    private Path file() {
        return directory.resolve("cluster.json");
    }
}
