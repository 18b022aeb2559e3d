package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code stop}: a string or up to four, none of them empty. */
final class StopsReader {
    private static final int MAX_STOPS = 4;
    private static final int MAX_STOP_CHARS = 1_024;

    private StopsReader() {}

    static List<String> read(@Nullable JsonNode stop) {
        if (stop == null) {
            return List.of();
        }
        if (stop.isTextual()) {
            return List.of(one("stop", stop));
        }
        if (!stop.isArray()) {
            throw Fields.wrongType("stop", "a string or an array of strings", stop);
        }
        if (stop.size() > MAX_STOPS) {
            throw ApiError.invalid(
                    "stop",
                    "invalid_value",
                    "stop takes at most " + MAX_STOPS + " strings, found " + stop.size() + ".");
        }
        List<String> stops = new ArrayList<>();
        for (int i = 0; i < stop.size(); i++) {
            stops.add(one("stop." + i, stop.get(i)));
        }
        return stops;
    }

    private static String one(String path, JsonNode value) {
        String text = Fields.text(path, value);
        if (text.isEmpty()) {
            throw ApiError.invalid(path, "invalid_value", path + " must not be empty.");
        }
        if (text.length() > MAX_STOP_CHARS) {
            throw ApiError.invalid(path, "invalid_value", path + " is longer than " + MAX_STOP_CHARS + " characters.");
        }
        return text;
    }
}
