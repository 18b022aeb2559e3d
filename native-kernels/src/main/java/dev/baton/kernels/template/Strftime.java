package dev.baton.kernels.template;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The conversions of C's strftime that chat templates use. */
final class Strftime {

    private Strftime() {}

    /** @throws TemplateException for a conversion that is not known */
    static String format(String format, ZonedDateTime at, Locale locale) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                text.append(c);
                continue;
            }
            char conversion = format.charAt(++i);
            text.append(
                    conversion == '%'
                            ? "%"
                            : DateTimeFormatter.ofPattern(pattern(conversion), locale)
                                    .format(at));
        }
        return text.toString();
    }

    private static String pattern(char conversion) {
        return switch (conversion) {
            case 'Y' -> "yyyy";
            case 'y' -> "yy";
            case 'm' -> "MM";
            case 'd' -> "dd";
            case 'b' -> "MMM";
            case 'B' -> "MMMM";
            case 'a' -> "EEE";
            case 'A' -> "EEEE";
            case 'H' -> "HH";
            case 'M' -> "mm";
            case 'S' -> "ss";
            case 'j' -> "DDD";
            case 'F' -> "yyyy-MM-dd";
            case 'T' -> "HH:mm:ss";
            default -> throw new TemplateException("strftime_now does not know %" + conversion);
        };
    }
}
