package dev.baton.runtime.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads a body as one JSON object and nothing else: no repeated key, no trailing text, bounded nesting, valid UTF-8. */
final class StrictJson {
    private static final int MAX_NUMBER_CHARS = 64;
    private static final int MAX_NAME_CHARS = 256;

    private final JsonMapper mapper;
    private final int maxDepth;

    StrictJson(int maxDepth, long maxBodyBytes) {
        this.maxDepth = maxDepth;
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(maxDepth)
                .maxNumberLength(MAX_NUMBER_CHARS)
                .maxNameLength(MAX_NAME_CHARS)
                .maxStringLength(Math.toIntExact(Math.min(maxBodyBytes, Integer.MAX_VALUE)))
                .build();
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(limits)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .build();
        this.mapper = JsonMapper.builder(factory)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
    }

    /** @throws ApiError.Refused saying what is wrong, and where */
    ObjectNode object(byte[] body) {
        String text = decode(body);
        if (text.isBlank()) {
            throw ApiError.invalid(null, "invalid_json", "The request body is empty; send a JSON object.");
        }
        try (JsonParser parser = mapper.createParser(text)) {
            @Nullable JsonNode root = read(parser);
            if (!(root instanceof ObjectNode object)) {
                throw ApiError.invalid(null, "invalid_json", "The request body must be a JSON object.");
            }
            if (nextToken(parser) != null) {
                throw ApiError.invalid(null, "invalid_json", "The request body goes on after the JSON object.");
            }
            return object;
        } catch (IOException e) {
            throw ApiError.invalid(null, "invalid_json", "The request body is not valid JSON.");
        }
    }

    private @Nullable JsonNode read(JsonParser parser) throws IOException {
        try {
            return mapper.readTree(parser);
        } catch (JsonProcessingException e) {
            throw refusal(parser, e);
        }
    }

    private @Nullable JsonToken nextToken(JsonParser parser) throws IOException {
        try {
            return parser.nextToken();
        } catch (JsonProcessingException e) {
            throw ApiError.invalid(null, "invalid_json", "The request body goes on after the JSON object.");
        }
    }

    private ApiError.Refused refusal(JsonParser parser, JsonProcessingException e) {
        String pointer = parser.getParsingContext().pathAsPointer().toString();
        @Nullable String param = pointer.isEmpty() ? null : pointer.substring(1).replace('/', '.');
        String reason = String.valueOf(e.getMessage());
        String where = param == null ? "" : " at " + param;
        if (e instanceof StreamConstraintsException && reason.contains("nesting")) {
            return ApiError.invalid(
                    param, "invalid_json", "JSON is nested deeper than " + maxDepth + " levels" + where + ".");
        }
        if (e instanceof StreamConstraintsException) {
            return ApiError.invalid(param, "invalid_json", "A number, name or string is too long" + where + ".");
        }
        if (reason.startsWith("Duplicate field")) {
            return ApiError.invalid(param, "duplicate_field", "A field is given twice" + where + ".");
        }
        return ApiError.invalid(
                param,
                "invalid_json",
                "The request body is not valid JSON" + where + " (line "
                        + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ").");
    }

    private static String decode(byte[] body) {
        CharsetDecoder utf8 = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(body);
        CharBuffer out = CharBuffer.allocate(body.length);
        CoderResult result = utf8.decode(in, out, true);
        if (result.isError()) {
            throw ApiError.invalid(
                    null, "invalid_utf8", "The request body is not valid UTF-8 at byte " + in.position() + ".");
        }
        return out.flip().toString();
    }
}
