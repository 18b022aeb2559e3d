package dev.baton.runtime.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.Path;
import java.util.Map;

/** Which journal, from {@code baton.journal}. */
public sealed interface JournalSettings {

    /** Events live as long as the process: tests only. */
    record InMemory() implements JournalSettings {}

    /**
     * A file that the processes of one machine share: whichever opens it first serves the others.
     *
     * @param file without H2's suffix
     */
    record H2(Path file, int connections) implements JournalSettings {}

    record Postgres(String url, String user, String password, int connections) implements JournalSettings {
        @Override
        public String toString() {
            return "Postgres[url=" + url + ", user=" + user + "]";
        }
    }

    static JournalSettings from(Config baton) {
        Config journal = baton.getConfig("journal");
        int connections = journal.getInt("connections");
        String kind = journal.getString("kind");
        return switch (kind) {
            case "memory" -> new InMemory();
            case "h2" -> new H2(Path.of(journal.getString("h2.file")), connections);
            case "postgres" ->
                new Postgres(
                        journal.getString("postgres.url"),
                        journal.getString("postgres.user"),
                        journal.getString("postgres.password"),
                        connections);
            default ->
                throw new IllegalArgumentException(
                        "baton.journal.kind must be h2, postgres or memory, found \"" + kind + "\"");
        };
    }

    /** Whether the events outlive the process. */
    default boolean durable() {
        return !(this instanceof InMemory);
    }

    /** The Pekko settings that select this journal. */
    default Config toPekko() {
        return switch (this) {
            case InMemory _ ->
                ConfigFactory.parseMap(Map.of(
                        "pekko.persistence.journal.plugin", "pekko.persistence.journal.inmem",
                        "pekko.persistence.snapshot-store.plugin", "pekko.persistence.no-snapshot-store"));
            // WRITE_DELAY=0: a commit is in the file before it is answered, so SIGKILL loses nothing that was answered.
            case H2 h2 ->
                jdbc(
                        "slick.jdbc.H2Profile$",
                        "org.h2.Driver",
                        "jdbc:h2:file:" + h2.file().toAbsolutePath()
                                + ";AUTO_SERVER=TRUE;WRITE_DELAY=0;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                        "sa",
                        "",
                        h2.connections());
            case Postgres pg ->
                jdbc(
                        "slick.jdbc.PostgresProfile$",
                        "org.postgresql.Driver",
                        pg.url(),
                        pg.user(),
                        pg.password(),
                        pg.connections());
        };
    }

    private static Config jdbc(
            String profile, String driver, String url, String user, String password, int connections) {
        String db = "pekko-persistence-jdbc.shared-databases.slick";
        return ConfigFactory.parseMap(Map.of(
                        "pekko.persistence.journal.plugin",
                        "jdbc-journal",
                        "pekko.persistence.snapshot-store.plugin",
                        "jdbc-snapshot-store",
                        "jdbc-journal.use-shared-db",
                        "slick",
                        "jdbc-snapshot-store.use-shared-db",
                        "slick",
                        "jdbc-read-journal.use-shared-db",
                        "slick",
                        db + ".profile",
                        profile,
                        db + ".db.driver",
                        driver,
                        db + ".db.connectionPool",
                        "HikariCP"))
                .withValue(db + ".db.url", ConfigValueFactory.fromAnyRef(url))
                .withValue(db + ".db.user", ConfigValueFactory.fromAnyRef(user))
                .withValue(db + ".db.password", ConfigValueFactory.fromAnyRef(password))
                .withValue(db + ".db.numThreads", ConfigValueFactory.fromAnyRef(connections))
                .withValue(db + ".db.maxConnections", ConfigValueFactory.fromAnyRef(connections))
                .withValue(db + ".db.minConnections", ConfigValueFactory.fromAnyRef(1))
                .withValue(db + ".db.queueSize", ConfigValueFactory.fromAnyRef(10_000));
    }
}
