package dev.baton.transfer.directory;

import dev.baton.contract.identity.Generation;

/** What the directory says to a publication or a withdrawal. */
public sealed interface DirectoryAnswer {

    /** A new handle: this transfer owns the request's visible state. */
    record Published(PublicationHandle handle) implements DirectoryAnswer {}

    /** A new handle which replaces one of an older generation; the blocks of that one stay with whoever holds them. */
    record PublishedOver(PublicationHandle handle, PublicationHandle superseded) implements DirectoryAnswer {}

    /** The same transfer has published before: the same handle, no second owner. */
    record AlreadyPublishedSame(PublicationHandle handle) implements DirectoryAnswer {}

    /** Another transfer holds this or a newer generation. */
    record StaleGeneration(Generation current) implements DirectoryAnswer {}

    /** This transfer's own publication has already ended, or was withdrawn before it began. */
    record AlreadyEnded(EndReason reason) implements DirectoryAnswer {}

    /** The transfer is not published, and never will be. */
    record Withdrawn() implements DirectoryAnswer {}
}
