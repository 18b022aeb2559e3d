package dev.baton.runtime.cli;

/** A command that can't do its work; the message says what is wrong and what cures it. Exit code 1. */
public final class CliFailure extends RuntimeException {
    public CliFailure(String message) {
        super(message);
    }

    public CliFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
