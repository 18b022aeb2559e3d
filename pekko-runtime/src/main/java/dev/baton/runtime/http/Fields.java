package dev.baton.runtime.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Iterator;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one JSON object, each asked for by name, type and range. What nobody asked for is unknown and refused by
 * {@link #refuseUnknown()}. An explicit null is the same as absence, as OpenAI has it.
 */
final class Fields {
    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);
    private static final int MAX_SHOWN_CHARS = 40;

    private final ObjectNode object;
    private final String prefix;
    private final Set<String> known = new HashSet<>();

    Fields(ObjectNode object) {
        this(object, "");
    }

    /** @param prefix where the object is within the body, ending in a dot where it is not the body itself */
    Fields(ObjectNode object, String prefix) {
        this.object = object;
        this.prefix = prefix;
    }

    String path(String name) {
        return prefix + name;
    }

    /** The value, or null where the field is absent or null. */
    @Nullable
    JsonNode value(String name) {
        known.add(name);
        @Nullable JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    JsonNode required(String name) {
        @Nullable JsonNode value = value(name);
        if (value == null) {
            throw ApiError.invalid(path(name), "missing_field", path(name) + " is required.");
        }
        return value;
    }

    String requiredText(String name) {
        return text(path(name), required(name));
    }

    @Nullable
    String text(String name) {
        @Nullable JsonNode value = value(name);
        return value == null ? null : text(path(name), value);
    }

    boolean flag(String name, boolean otherwise) {
        @Nullable JsonNode value = value(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw wrongType(path(name), "true or false", value);
        }
        return value.booleanValue();
    }

    OptionalInt integer(String name, int least, int most) {
        @Nullable JsonNode value = value(name);
        return value == null ? OptionalInt.empty() : OptionalInt.of(integer(path(name), value, least, most));
    }

    int integer(String name, int least, int most, int otherwise) {
        return integer(name, least, most).orElse(otherwise);
    }

    /** Any signed 64-bit integer. */
    OptionalLong signed64(String name) {
        @Nullable JsonNode value = value(name);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (!value.isIntegralNumber()) {
            throw wrongType(path(name), "an integer", value);
        }
        BigInteger number = value.bigIntegerValue();
        if (number.compareTo(MIN_LONG) < 0 || number.compareTo(MAX_LONG) > 0) {
            throw outOfRange(path(name), "a signed 64-bit integer", value);
        }
        return OptionalLong.of(number.longValueExact());
    }

    float real(String name, double least, double most, float otherwise) {
        @Nullable JsonNode value = value(name);
        return value == null ? otherwise : real(path(name), value, least, most);
    }

    /** A field that Baton does not serve: accepted where its value asks for nothing. */
    void unsupported(String name, Predicate<JsonNode> asksForNothing, String cure) {
        @Nullable JsonNode value = value(name);
        if (value != null && !asksForNothing.test(value)) {
            throw ApiError.unsupported(path(name), shown(value), cure);
        }
    }

    /** A field that is read elsewhere or has no effect whatever its value. */
    void accept(String name) {
        known.add(name);
    }

    void refuseUnknown() {
        for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.contains(name)) {
                String shown = name.length() > MAX_SHOWN_CHARS ? name.substring(0, MAX_SHOWN_CHARS) + "…" : name;
                throw ApiError.invalid(path(shown), "unknown_field", "Unknown field " + path(shown) + "; remove it.");
            }
        }
    }

    static String text(String path, JsonNode value) {
        if (!value.isTextual()) {
            throw wrongType(path, "a string", value);
        }
        String text = value.textValue();
        int i = 0;
        while (i < text.length()) {
            // An unpaired surrogate is its own code point; a pair is one beyond the surrogates' range.
            int codePoint = text.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw ApiError.invalid(
                        path, "invalid_unicode", path + " has an unpaired surrogate at character " + i + ".");
            }
            i += Character.charCount(codePoint);
        }
        return text;
    }

    static int integer(String path, JsonNode value, int least, int most) {
        if (!value.isIntegralNumber()) {
            throw wrongType(path, "an integer", value);
        }
        BigInteger number = value.bigIntegerValue();
        if (number.compareTo(BigInteger.valueOf(least)) < 0 || number.compareTo(BigInteger.valueOf(most)) > 0) {
            throw outOfRange(path, "from " + least + " to " + most, value);
        }
        return number.intValueExact();
    }

    static float real(String path, JsonNode value, double least, double most) {
        if (!value.isNumber()) {
            throw wrongType(path, "a number", value);
        }
        BigDecimal number = value.decimalValue();
        if (number.compareTo(BigDecimal.valueOf(least)) < 0 || number.compareTo(BigDecimal.valueOf(most)) > 0) {
            throw outOfRange(path, "from " + plain(least) + " to " + plain(most), value);
        }
        return number.floatValue();
    }

    static ApiError.Refused wrongType(String path, String expected, JsonNode found) {
        String message = path + " must be " + expected + ", found " + shown(found) + ".";
        return ApiError.invalid(path, "invalid_type", message);
    }

    static ApiError.Refused outOfRange(String path, String expected, JsonNode found) {
        String message = path + " must be " + expected + ", found " + shown(found) + ".";
        return ApiError.invalid(path, "invalid_value", message);
    }

    /** The value where it is short and no text of the client's, else its type: prompts do not belong in error messages. */
    private static String shown(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> value.isEmpty() ? "[]" : "an array";
            case OBJECT -> value.isEmpty() ? "{}" : "an object";
            case STRING -> "a string";
            case NULL, MISSING -> "null";
            case BOOLEAN -> value.asText();
            case NUMBER -> {
                String digits = value.asText();
                yield digits.length() > MAX_SHOWN_CHARS ? "a number of " + digits.length() + " characters" : digits;
            }
            case BINARY, POJO -> value.getNodeType().name().toLowerCase(java.util.Locale.ROOT);
        };
    }

    private static String plain(double bound) {
        return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
    }
}
