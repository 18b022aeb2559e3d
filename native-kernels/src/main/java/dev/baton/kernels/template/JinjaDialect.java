package dev.baton.kernels.template;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Rewrites the few things of Python's Jinja that Jinjava reads differently, and lists the filters a template uses, because
 * Jinjava passes over unknown ones in silence. {@code namespace(n=a - 1)} becomes {@code namespace(n=(a - 1))} (Jinjava binds
 * a named argument tighter than operators) and {@code x[::-1]} becomes {@code x|reverse}. Text outside of tags stays as it is.
 */
final class JinjaDialect {

    private static final String CALL = "namespace(";
    private static final String REVERSED = "[::-1]";

    private final String source;
    private final StringBuilder out;
    private final SortedSet<String> filters = new TreeSet<>();
    private int at;

    private JinjaDialect(String source) {
        this.source = source;
        this.out = new StringBuilder(source.length() + 64);
        while (at < source.length()) {
            if (here("{#")) {
                copyThrough("#}");
            } else if (here("{{")) {
                code("}}");
            } else if (here("{%")) {
                code("%}");
            } else {
                copy(1);
            }
        }
    }

    static JinjaDialect translate(String source) {
        return new JinjaDialect(source);
    }

    /** For Jinjava. */
    String translated() {
        return out.toString();
    }

    /** Names after a {@code |}, sorted. */
    SortedSet<String> filters() {
        return Collections.unmodifiableSortedSet(filters);
    }

    private void code(String close) {
        copy(2);
        while (at < source.length() && !here(close)) {
            element(close);
        }
        copy(2);
    }

    private void element(String close) {
        char c = source.charAt(at);
        if (c == '\'' || c == '"') {
            copy(endOfText(c) - at);
        } else if (here(REVERSED)) {
            out.append("|reverse");
            at += REVERSED.length();
        } else if (here(CALL)) {
            copy(CALL.length());
            namedArguments(close);
        } else if (c == '|') {
            copy(1);
            noteFilter();
        } else {
            copy(1);
        }
    }

    /** Up to the call's closing parenthesis. */
    private void namedArguments(String close) {
        int depth = 0;
        boolean open = false;
        while (at < source.length() && !here(close)) {
            char c = source.charAt(at);
            boolean closesCall = depth == 0 && c == ')';
            if (open && depth == 0 && (c == ',' || closesCall)) {
                out.append(')');
                open = false;
            }
            if (closesCall) {
                return;
            }
            if ("([{".indexOf(c) >= 0 && !here(REVERSED)) {
                depth++;
            } else if (")]}".indexOf(c) >= 0) {
                depth--;
            }
            boolean opens = depth == 0 && !open && assigns();
            element(close);
            if (opens) {
                out.append('(');
                open = true;
            }
        }
    }

    private boolean assigns() {
        boolean compares = here("==") || (at > 0 && "=!<>".indexOf(source.charAt(at - 1)) >= 0);
        return here("=") && !compares;
    }

    private void noteFilter() {
        int from = at;
        while (from < source.length() && source.charAt(from) == ' ') {
            from++;
        }
        int to = from;
        while (to < source.length() && Character.isJavaIdentifierPart(source.charAt(to))) {
            to++;
        }
        if (to > from) {
            filters.add(source.substring(from, to));
        }
    }

    private int endOfText(char quote) {
        int i = at + 1;
        while (i < source.length() && source.charAt(i) != quote) {
            i += source.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(source.length(), i + 1);
    }

    private boolean here(String text) {
        return source.startsWith(text, at);
    }

    private void copyThrough(String end) {
        int found = source.indexOf(end, at);
        copy(found < 0 ? source.length() - at : found + end.length() - at);
    }

    private void copy(int length) {
        int end = Math.min(source.length(), at + length);
        out.append(source, at, end);
        at = end;
    }
}
