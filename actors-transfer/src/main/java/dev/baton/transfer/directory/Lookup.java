package dev.baton.transfer.directory;

import java.util.List;

/** What a reader gets for a handle. Everything but {@link Found} is a refusal with its own reason; no bytes may be read. */
public sealed interface Lookup {

    /** Published, not ended, of the generation asked for. */
    record Found(PublicationHandle handle, List<Integer> blockIds) implements Lookup {
        public Found {
            blockIds = List.copyOf(blockIds);
        }
    }

    record Missing(Reason reason) implements Lookup {}

    /** Why a handle gives nothing; the label of its counter. */
    enum Reason {
        /** Never published here, or ended so long ago that it is forgotten. */
        UNKNOWN,
        /** Decode has taken it. */
        CONSUMED,
        /** A newer generation replaced it. */
        SUPERSEDED,
        /** Nobody took it in time. */
        EXPIRED,
        /** Its transfer aborted before decode was admitted. */
        WITHDRAWN,
        /** The handle is published, but the reader holds another generation of the request. */
        GENERATION_MISMATCH
    }
}
