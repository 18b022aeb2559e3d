package dev.baton.runtime.journal;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.jdbc.testkit.javadsl.SchemaUtils;

/** Creates the journal's tables where they are missing. Several nodes may do so at once. */
public final class JournalSchema {
    private static final int TRIES = 3;

    private JournalSchema() {}

    /** @throws IllegalStateException when the database does not answer, with what to check */
    public static void createIfMissing(ActorSystem<?> system, JournalSettings settings, Duration timeout) {
        if (!settings.durable()) {
            return;
        }
        for (int attempt = 1; ; attempt++) {
            try {
                SchemaUtils.createIfNotExists(system)
                        .toCompletableFuture()
                        .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (ExecutionException | TimeoutException e) {
                // Two nodes that create the same table at the same moment: one of them loses and finds it there.
                if (attempt == TRIES) {
                    throw new IllegalStateException(
                            "the journal " + settings + " did not answer within " + timeout
                                    + "; check that the database runs, that the user may create tables, and that no other "
                                    + "Baton of another version holds the file",
                            e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the journal was opened", e);
            }
        }
    }
}
