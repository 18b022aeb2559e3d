package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The few kinds of HTTP response there are. */
final class Responses {
    private static final Logger LOG = LoggerFactory.getLogger(Responses.class);

    private Responses() {}

    static HttpResponse json(int status, JsonNode body) {
        return HttpResponse.create()
                .withStatus(status)
                .withEntity(HttpEntities.create(
                        ContentTypes.APPLICATION_JSON, body.toString().getBytes(StandardCharsets.UTF_8)));
    }

    static HttpResponse error(ApiError error) {
        HttpResponse response = json(error.status(), error.json());
        return error.retryAfterSeconds() > 0
                ? response.addHeader(RawHeader.create("Retry-After", Long.toString(error.retryAfterSeconds())))
                : response;
    }

    /** Whatever went wrong: what the client did in its words, what we did in the log. */
    static HttpResponse failure(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ApiError.Refused refused) {
            return error(refused.error());
        }
        LOG.error("http request failed", cause);
        return error(ApiError.internal());
    }

    static HttpResponse events(Source<ByteString, ?> events) {
        return HttpResponse.create()
                .withEntity(HttpEntities.create(MediaTypes.TEXT_EVENT_STREAM.toContentType(), events))
                .addHeader(RawHeader.create("Cache-Control", "no-cache"))
                .addHeader(RawHeader.create("X-Accel-Buffering", "no"));
    }
}
