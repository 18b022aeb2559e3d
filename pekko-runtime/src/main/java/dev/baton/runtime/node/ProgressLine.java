package dev.baton.runtime.node;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** One line that says what a starting process does; redrawn on a terminal, a line per step elsewhere. */
final class ProgressLine {
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PrintStream out;
    private final boolean terminal;
    private String step = "";
    private long drawnNanos;

    @SuppressWarnings("SystemConsoleNull") // it is null here on JDK 25 when standard output is a file
    ProgressLine(PrintStream out) {
        this.out = out;
        Console console = System.console();
        this.terminal = console != null && console.isTerminal();
    }

    synchronized void at(String what, long doneBytes, long totalBytes) {
        long now = System.nanoTime();
        boolean newStep = !what.equals(step);
        boolean finished = totalBytes > 0 && doneBytes >= totalBytes;
        if (!newStep && !finished && (!terminal || now - drawnNanos < REDRAW_NANOS)) {
            return;
        }
        if (!newStep && !terminal) {
            return;
        }
        step = what;
        drawnNanos = now;
        String amount = totalBytes <= 0
                ? ""
                : String.format(
                        Locale.ROOT, " %3d %% of %.1f MiB", 100 * doneBytes / totalBytes, totalBytes / 1048576.0);
        out.print(terminal ? "\r\u001b[K" + what + amount : what + System.lineSeparator());
        out.flush();
    }

    synchronized void done(String what) {
        out.println((terminal ? "\r\u001b[K" : "") + what);
        out.flush();
    }
}
