package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.scheduler.request.FailureCause;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told instead of an answer.
 *
 * @param status HTTP status
 * @param type OpenAI's kind of error
 * @param param the field at fault, where there is one
 * @param code stable word for programs, where there is one
 * @param retryAfterSeconds above 0 where waiting helps
 */
public record ApiError(
        int status,
        String message,
        String type,
        @Nullable String param,
        @Nullable String code,
        long retryAfterSeconds) {

    static final String INVALID_REQUEST = "invalid_request_error";
    private static final String SERVER = "server_error";

    /** Thrown while a request is read, caught at the edge. */
    static final class Refused extends RuntimeException {
        private final transient ApiError error;

        Refused(ApiError error) {
            super(error.message(), null, false, false);
            this.error = error;
        }

        ApiError error() {
            return error;
        }
    }

    static Refused invalid(@Nullable String param, String message) {
        return new Refused(new ApiError(400, message, INVALID_REQUEST, param, null, 0));
    }

    static Refused invalid(@Nullable String param, String code, String message) {
        return new Refused(new ApiError(400, message, INVALID_REQUEST, param, code, 0));
    }

    static Refused unsupported(String param, String found, String cure) {
        return invalid(param, "unsupported_value", param + " = " + found + " is not supported; " + cure + ".");
    }

    static Refused modelNotFound(String model, String served) {
        return new Refused(new ApiError(
                404,
                "The model '" + model + "' is not served here; served: " + served + ".",
                INVALID_REQUEST,
                "model",
                "model_not_found",
                0));
    }

    static ApiError requestNotFound(String id) {
        return new ApiError(
                404,
                "No request '" + id + "' is known; ids are forgotten some time after the request ended.",
                INVALID_REQUEST,
                "request_id",
                "request_not_found",
                0);
    }

    static ApiError unknownRoute(String method, String path) {
        return new ApiError(404, "Unknown URL (" + method + " " + path + ").", INVALID_REQUEST, null, "unknown_url", 0);
    }

    static ApiError methodNotAllowed(String method, String allowed) {
        String message = "Method " + method + " is not allowed for this URL; allowed: " + allowed + ".";
        return new ApiError(405, message, INVALID_REQUEST, null, "method_not_allowed", 0);
    }

    static ApiError bodyTooLarge(long maxBytes) {
        String message = "The request body is longer than " + maxBytes + " bytes; send a smaller one.";
        return new ApiError(413, message, INVALID_REQUEST, null, "body_too_large", 0);
    }

    static ApiError bodyTooSlow(long millis) {
        String message = "The request body did not arrive within " + millis + " ms.";
        return new ApiError(408, message, INVALID_REQUEST, null, "body_timeout", 0);
    }

    static ApiError mediaType(String found) {
        String message = "Content-Type '" + found + "' is not accepted; send application/json without encoding.";
        return new ApiError(415, message, INVALID_REQUEST, null, "unsupported_media_type", 0);
    }

    static ApiError internal() {
        return new ApiError(500, "Internal error; the log of this node says more.", SERVER, null, "internal_error", 0);
    }

    static ApiError cancelled() {
        return new ApiError(503, "The request was cancelled.", SERVER, null, "request_cancelled", 0);
    }

    static ApiError of(FailureCause cause, long retryAfterSeconds) {
        return switch (cause) {
            case NO_WORKER ->
                new ApiError(
                        503,
                        "No worker of a needed role is in the cluster; try again later.",
                        SERVER,
                        null,
                        "no_worker",
                        retryAfterSeconds);
            case OVERLOADED ->
                new ApiError(
                        429,
                        "Queues or K/V memory are full; try again later.",
                        "rate_limit_error",
                        null,
                        "overloaded",
                        retryAfterSeconds);
            case TOO_LARGE ->
                new ApiError(
                        400,
                        "Prompt, max_tokens and n together need more K/V memory than any worker has; ask for less.",
                        INVALID_REQUEST,
                        "max_tokens",
                        "kv_capacity_exceeded",
                        0);
            case DEADLINE -> new ApiError(504, "The request's deadline passed.", SERVER, null, "deadline_exceeded", 0);
            case RETRIES_EXHAUSTED ->
                new ApiError(
                        503,
                        "Every permitted attempt failed; try again later.",
                        SERVER,
                        null,
                        "retries_exhausted",
                        retryAfterSeconds);
            case INTERNAL -> internal();
        };
    }

    /** {@code {"error":{...}}}, fields as OpenAI names them. */
    ObjectNode json() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ObjectNode error = body.putObject("error");
        error.put("message", message).put("type", type).put("param", param).put("code", code);
        return body;
    }
}
