package dev.baton.runtime.acceptance;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A PostgreSQL of our own on a free loopback port, in a folder of its own; ended and removed on close. */
final class PostgresServer implements AutoCloseable {
    private static final long START_SECONDS = 30;

    private final Path binaries;
    private final Path folder;
    private final int port;
    private final String password = UUID.randomUUID().toString();
    private final boolean asRoot = System.getProperty("user.name").equals("root");

    private PostgresServer(Path binaries, Path folder, int port) {
        this.binaries = binaries;
        this.folder = folder;
        this.port = port;
    }

    /** Skips the test where PostgreSQL's server is not installed. */
    static PostgresServer start() throws IOException, InterruptedException {
        Optional<Path> binaries = binaries();
        Assumptions.assumeTrue(
                binaries.isPresent(),
                "skipped: no PostgreSQL server here; install it with: apt-get install postgresql");
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Path folder = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "baton-postgres");
        PostgresServer server = new PostgresServer(binaries.orElseThrow(), folder, port);
        server.create();
        return server;
    }

    private static Optional<Path> binaries() throws IOException {
        Path root = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(root)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(root)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                    .max(Comparator.naturalOrder());
        }
    }

    private void create() throws IOException, InterruptedException {
        Path secret = Files.writeString(folder.resolve("password"), password);
        if (asRoot) {
            // PostgreSQL refuses to run as root.
            run(List.of("chown", "-R", "postgres", folder.toString()));
        }
        run(asOwner(
                binaries.resolve("initdb").toString(),
                "-D",
                data(),
                "-U",
                user(),
                "--pwfile=" + secret,
                "--auth=scram-sha-256",
                "--no-sync"));
        run(asOwner(
                binaries.resolve("pg_ctl").toString(),
                "-D",
                data(),
                "-w",
                "-t",
                Long.toString(START_SECONDS),
                "-l",
                folder.resolve("log").toString(),
                "-o",
                "-p " + port + " -k " + folder + " -c listen_addresses=127.0.0.1 -c fsync=off",
                "start"));
    }

    private List<String> asOwner(String... command) {
        List<String> whole = new ArrayList<>();
        if (asRoot) {
            whole.addAll(List.of("runuser", "-u", "postgres", "--"));
        }
        whole.addAll(List.of(command));
        return whole;
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        File output = File.createTempFile("baton-postgres", ".log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        boolean ended = process.waitFor(2 * START_SECONDS, TimeUnit.SECONDS);
        if (!ended || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(command + " failed: " + Files.readString(output.toPath()));
        }
        Files.delete(output.toPath());
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    String user() {
        return "baton";
    }

    String password() {
        return password;
    }

    List<String> tables() throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url(), user(), password);
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("select tablename from pg_tables where schemaname = 'public'")) {
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
        }
        return tables;
    }

    @Override
    public void close() throws IOException {
        try {
            run(asOwner(binaries.resolve("pg_ctl").toString(), "-D", data(), "-m", "immediate", "-w", "stop"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
