package dev.baton.runtime.http;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.http.scaladsl.model.EntityStreamSizeException;

/** Takes a JSON body from the wire: of the right type, not too long, not too slow. */
final class BodyReader {
    private final ActorSystem<?> system;
    private final ApiSettings settings;

    BodyReader(ActorSystem<?> system, ApiSettings settings) {
        this.system = system;
        this.settings = settings;
    }

    /** Fails with {@link ApiError.Refused}. */
    CompletionStage<byte[]> read(HttpRequest request) {
        RequestEntity entity = request.entity();
        refuseOtherMedia(request, entity);
        if (entity.getContentLengthOption().orElse(0) > settings.maxBodyBytes()) {
            entity.discardBytes(system);
            throw new ApiError.Refused(ApiError.bodyTooLarge(settings.maxBodyBytes()));
        }
        return entity.withSizeLimit(settings.maxBodyBytes())
                .toStrict(settings.bodyTimeoutMillis(), settings.maxBodyBytes(), system)
                .handle((strict, failure) -> {
                    if (failure == null) {
                        return strict.getData().toArrayUnsafe();
                    }
                    throw refusal(failure);
                });
    }

    private void refuseOtherMedia(HttpRequest request, RequestEntity entity) {
        ContentType type = entity.getContentType();
        String name = type.mediaType().mainType() + "/" + type.mediaType().subType();
        // A request without the header is taken for bytes of unknown type.
        boolean absent = name.equals("none/none") || name.equals("application/octet-stream");
        boolean encoded = request.getHeader("Content-Encoding")
                .map(HttpHeader::value)
                .filter(value -> !value.equalsIgnoreCase("identity"))
                .isPresent();
        if (encoded || !(absent || name.equals("application/json"))) {
            entity.discardBytes(system);
            throw new ApiError.Refused(ApiError.mediaType(encoded ? name + " with an encoding" : name));
        }
    }

    private RuntimeException refusal(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof EntityStreamSizeException) {
            return new ApiError.Refused(ApiError.bodyTooLarge(settings.maxBodyBytes()));
        }
        if (cause instanceof TimeoutException) {
            return new ApiError.Refused(ApiError.bodyTooSlow(settings.bodyTimeoutMillis()));
        }
        // toStrict with a limit of its own reports it as a plain exception of this name's kind only in its message.
        if (cause instanceof IllegalArgumentException) {
            return new ApiError.Refused(ApiError.bodyTooLarge(settings.maxBodyBytes()));
        }
        return new CompletionException("the request body broke off", cause);
    }
}
