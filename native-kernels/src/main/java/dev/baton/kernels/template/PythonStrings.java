package dev.baton.kernels.template;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import jinjava.javax.el.ELContext;
import jinjava.javax.el.ELResolver;
import org.jspecify.annotations.Nullable;

/** The methods of Python's {@code str} that chat templates call; everything else is left to the resolvers after this one. */
final class PythonStrings extends ELResolver {

    @Override
    public @Nullable Object invoke(
            ELContext context,
            @Nullable Object base,
            @Nullable Object method,
            Class<?> @Nullable [] types,
            @Nullable Object @Nullable [] arguments) {
        if (!(base instanceof CharSequence) || method == null) {
            return null;
        }
        String text = base.toString();
        List<String> given = new ArrayList<>();
        for (Object argument : arguments == null ? new Object[0] : arguments) {
            given.add(String.valueOf(argument));
        }
        @Nullable Object result = call(text, method.toString(), given);
        if (result != null) {
            context.setPropertyResolved(true);
        }
        return result;
    }

    private static @Nullable Object call(String text, String method, List<String> given) {
        return switch (method) {
            case "strip" -> strip(text, given, true, true);
            case "lstrip" -> strip(text, given, true, false);
            case "rstrip" -> strip(text, given, false, true);
            case "startswith" -> text.startsWith(given.getFirst());
            case "endswith" -> text.endsWith(given.getFirst());
            case "upper" -> text.toUpperCase(Locale.ROOT);
            case "lower" -> text.toLowerCase(Locale.ROOT);
            case "title", "capitalize" -> capitalize(text);
            case "split" -> split(text, given);
            case "replace" -> text.replace(given.get(0), given.get(1));
            case "find" -> (long) text.indexOf(given.getFirst());
            default -> null;
        };
    }

    private static String strip(String text, List<String> given, boolean front, boolean back) {
        String characters = given.isEmpty() ? null : given.getFirst();
        int from = 0;
        int to = text.length();
        while (front && from < to && strips(text.charAt(from), characters)) {
            from++;
        }
        while (back && from < to && strips(text.charAt(to - 1), characters)) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean strips(char c, @Nullable String characters) {
        return characters == null ? Character.isWhitespace(c) || c == '\u00a0' : characters.indexOf(c) >= 0;
    }

    private static List<String> split(String text, List<String> given) {
        if (given.isEmpty()) {
            String stripped = text.strip();
            return stripped.isEmpty() ? new ArrayList<>() : new ArrayList<>(Arrays.asList(stripped.split("\\s+", -1)));
        }
        int limit = given.size() > 1 ? (int) Double.parseDouble(given.get(1)) + 1 : -1;
        return new ArrayList<>(Arrays.asList(text.split(Pattern.quote(given.getFirst()), limit)));
    }

    private static String capitalize(String text) {
        return text.isEmpty()
                ? text
                : text.substring(0, 1).toUpperCase(Locale.ROOT)
                        + text.substring(1).toLowerCase(Locale.ROOT);
    }

    @Override
    public @Nullable Object getValue(ELContext context, @Nullable Object base, @Nullable Object property) {
        return null;
    }

    @Override
    public @Nullable Class<?> getType(ELContext context, @Nullable Object base, @Nullable Object property) {
        return null;
    }

    @Override
    public void setValue(ELContext context, @Nullable Object base, @Nullable Object property, @Nullable Object value) {
        // Strings have no properties to set.
    }

    @Override
    public boolean isReadOnly(ELContext context, @Nullable Object base, @Nullable Object property) {
        return true;
    }

    @Override
    public java.util.@Nullable Iterator<java.beans.FeatureDescriptor> getFeatureDescriptors(
            ELContext context, @Nullable Object base) {
        return null;
    }

    @Override
    public @Nullable Class<?> getCommonPropertyType(ELContext context, @Nullable Object base) {
        return null;
    }
}
