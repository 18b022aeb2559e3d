package dev.baton.scheduler.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One piece of output as the client sees it. Numbered without gaps from 0 within the request: the number is the event id of
 * the stream and the position from which a reconnecting client reads on.
 *
 * @param sequence position in the request's output
 * @param choice which answer
 * @param tokens ids behind the text; empty where only held-back text is released
 * @param text never splits a code point, never contains text of a stop string; may be empty
 * @param finish set on the last item of the choice
 */
public record OutputItem(
        int sequence,
        int choice,
        List<Integer> tokens,
        String text,
        @Nullable FinishReason finish) {
    public OutputItem {
        tokens = List.copyOf(tokens);
    }
}
