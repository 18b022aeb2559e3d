package dev.baton.simulation.handoff;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.TransferId;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** No partial publication, no stale publication, one owner: judged when the directory says yes and when decode reads. */
final class PublicationSound {
    private @Nullable Generation newest;
    private final Map<TransferId, Integer> admissions = new TreeMap<>();

    /** The directory made a handle. */
    void published(Generation generation, int visibleChunks, int expectedChunks) {
        if (visibleChunks != expectedChunks) {
            throw new Violation(
                    PublicationSound.class,
                    "partial publication: " + visibleChunks + " of " + expectedChunks + " chunks visible");
        }
        if (newest != null && newest.compareTo(generation) >= 0) {
            throw new Violation(
                    PublicationSound.class, "stale publication of generation " + generation + " after " + newest);
        }
        newest = generation;
    }

    /** A withdrawn publication admitted nobody and does not count. */
    void withdrawn(@Nullable Generation before) {
        newest = before;
    }

    @Nullable
    Generation newest() {
        return newest;
    }

    /** Decode reads. */
    void admitted(TransferId transfer, Generation generation) {
        if (admissions.merge(transfer, 1, Integer::sum) > 1) {
            throw new Violation(PublicationSound.class, "two owners of transfer " + transfer);
        }
        if (newest != null && newest.compareTo(generation) > 0) {
            throw new Violation(PublicationSound.class, "decode reads generation " + generation + " after " + newest);
        }
    }

    void sourceReleased(boolean publishedOrAborted) {
        if (!publishedOrAborted) {
            throw new Violation(PublicationSound.class, "the only copy was released before publication");
        }
    }
}
