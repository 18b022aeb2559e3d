package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.scheduler.request.FinishReason;
import dev.baton.scheduler.request.Outcome;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.Usage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.pekko.util.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Turns the pieces of one answer into server-sent events. Each event that moves the client forward carries its
 * {@link StreamPosition} as id, so that the client can go on from there at any node. Serves one stream.
 */
final class ChunkWriter {
    private static final ByteString KEEP_ALIVE = ByteString.fromString(": keep-alive\n\n");
    private static final ByteString DONE = ByteString.fromString("data: [DONE]\n\n");

    private final AnswerShape shape;
    private final List<String> echoes;
    private final boolean includeUsage;
    private final StreamPosition position;
    private final boolean fromStart;
    private final ApiSettings settings;
    private final BitSet opened = new BitSet();
    private int promptsEnded;
    private UsageSum usage = UsageSum.NONE;

    /** @param echoes for each prompt the text to begin its choices with */
    ChunkWriter(
            AnswerShape shape,
            List<String> echoes,
            boolean includeUsage,
            StreamPosition position,
            ApiSettings settings) {
        this.shape = shape;
        this.echoes = List.copyOf(echoes);
        this.includeUsage = includeUsage;
        this.position = position;
        this.fromStart = position.atStart();
        this.settings = settings;
    }

    List<ByteString> write(Piece piece) {
        return switch (piece) {
            case Piece.Idle idle -> List.of(KEEP_ALIVE);
            case Piece.Output(int prompt, OutputItem item) -> output(prompt, item);
            case Piece.Unknown(int prompt) ->
                List.of(error(
                        ApiError.requestNotFound(shape.id().request(prompt).value())));
            case Piece.Ended ended -> ended(ended);
        };
    }

    static ByteString error(ApiError error) {
        return ByteString.fromString("data: " + error.json() + "\n\n");
    }

    private List<ByteString> output(int prompt, OutputItem item) {
        int index = shape.id().choiceIndex(prompt, item.choice());
        List<ByteString> events = new ArrayList<>();
        if (fromStart && !opened.get(index)) {
            opened.set(index);
            open(prompt, index, events);
        }
        @Nullable FinishReason finish = item.finish();
        if (!item.text().isEmpty() && !position.hasText(prompt, item.sequence())) {
            if (finish == null) {
                position.readAll(prompt, item.sequence());
            } else {
                position.readText(prompt, item.sequence());
            }
            events.add(event(position.toString(), shape.textChunk(index, item.text())));
        }
        position.readAll(prompt, item.sequence());
        if (finish != null) {
            events.add(event(position.toString(), shape.finishChunk(index, finish)));
        }
        return events;
    }

    private void open(int prompt, int index, List<ByteString> events) {
        if (shape.id().kind() == AnswerId.Kind.CHAT) {
            events.add(event(null, shape.roleChunk(index)));
        } else if (prompt < echoes.size() && !echoes.get(prompt).isEmpty()) {
            events.add(event(null, shape.textChunk(index, echoes.get(prompt))));
        }
    }

    private List<ByteString> ended(Piece.Ended ended) {
        @Nullable ApiError failure = failure(ended, settings);
        if (failure != null) {
            return List.of(error(failure));
        }
        @Nullable Usage used = ended.usage();
        usage = used == null ? usage : usage.plus(used);
        promptsEnded++;
        if (promptsEnded < shape.id().prompts()) {
            return List.of();
        }
        return includeUsage ? List.of(event(null, shape.usageChunk(usage)), DONE) : List.of(DONE);
    }

    /** What a client is told about an end without success; null where the request finished. */
    static @Nullable ApiError failure(Piece.Ended ended, ApiSettings settings) {
        return switch (ended.outcome()) {
            case FINISHED -> null;
            case CANCELLED -> ApiError.cancelled();
            case FAILED ->
                ended.cause() == null ? ApiError.internal() : ApiError.of(ended.cause(), settings.retryAfterSeconds());
        };
    }

    /** Whether nothing good can follow. */
    static boolean isBad(Piece piece) {
        return switch (piece) {
            case Piece.Ended ended -> ended.outcome() != Outcome.FINISHED;
            case Piece.Unknown unknown -> true;
            case Piece.Idle idle -> false;
            case Piece.Output output -> false;
        };
    }

    private ByteString event(@Nullable String id, ObjectNode data) {
        if (includeUsage && !data.has("usage")) {
            data.putNull("usage");
        }
        return ByteString.fromString((id == null ? "" : "id: " + id + "\n") + "data: " + data + "\n\n");
    }
}
