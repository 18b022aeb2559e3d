package dev.baton.runtime.http;

import dev.baton.scheduler.request.FailureCause;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.Usage;
import org.jspecify.annotations.Nullable;

/** What comes out of pulling one prompt's request, in order. */
sealed interface Piece {

    record Output(int prompt, OutputItem item) implements Piece {}

    /** A pull came back empty: the client's connection may want a sign of life. */
    record Idle() implements Piece {}

    /** The last piece of this prompt. */
    record Ended(
            int prompt,
            Outcome outcome,
            @Nullable FailureCause cause,
            @Nullable Usage usage) implements Piece {}

    /** No such request; the last piece of this prompt. */
    record Unknown(int prompt) implements Piece {}
}
