package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.Usage;
import org.jspecify.annotations.Nullable;

/** Gathers the pieces of one answer into one JSON object. Serves one answer. */
final class WholeAnswer {
    private final AnswerShape shape;
    private final ApiSettings settings;
    private final StringBuilder[] texts;
    private final @Nullable FinishReason[] finishes;
    private UsageSum usage = UsageSum.NONE;
    private int promptsEnded;

    WholeAnswer(AnswerShape shape, Ask ask, ApiSettings settings) {
        this.shape = shape;
        this.settings = settings;
        int choices = ask.prompts().size() * ask.choices();
        this.texts = new StringBuilder[choices];
        this.finishes = new @Nullable FinishReason[choices];
        for (int prompt = 0; prompt < ask.prompts().size(); prompt++) {
            for (int choice = 0; choice < ask.choices(); choice++) {
                String echo = ask.prompts().get(prompt).echo();
                texts[shape.id().choiceIndex(prompt, choice)] = new StringBuilder(echo);
            }
        }
    }

    /** @throws ApiError.Refused when the answer ends without success */
    void add(Piece piece) {
        switch (piece) {
            case Piece.Idle idle -> {}
            case Piece.Output(int prompt, OutputItem item) -> {
                int index = shape.id().choiceIndex(prompt, item.choice());
                texts[index].append(item.text());
                if (item.finish() != null) {
                    finishes[index] = item.finish();
                }
            }
            case Piece.Unknown unknown -> throw new ApiError.Refused(ApiError.internal());
            case Piece.Ended ended -> {
                @Nullable ApiError failure = ChunkWriter.failure(ended, settings);
                if (failure != null) {
                    throw new ApiError.Refused(failure);
                }
                @Nullable Usage used = ended.usage();
                usage = used == null ? usage : usage.plus(used);
                promptsEnded++;
            }
        }
    }

    /** @throws ApiError.Refused when the pieces stopped before the end: the client left, or the node stops */
    ObjectNode json() {
        if (promptsEnded < shape.id().prompts()) {
            throw new ApiError.Refused(ApiError.cancelled());
        }
        ObjectNode answer = shape.whole();
        for (int index = 0; index < texts.length; index++) {
            @Nullable FinishReason finish = finishes[index];
            if (finish == null) {
                throw new IllegalStateException("choice " + index + " of a finished request has no finish reason");
            }
            shape.addChoice(answer, index, texts[index].toString(), finish);
        }
        answer.set("usage", usage.json());
        return answer;
    }
}
