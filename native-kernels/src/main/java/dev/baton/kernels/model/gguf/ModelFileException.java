package dev.baton.kernels.model.gguf;

import java.nio.file.Path;

/** A model file that cannot be used. The message names the file, the field, what was found, what was expected, and the cure. */
public final class ModelFileException extends RuntimeException {

    private final String field;

    public ModelFileException(Path file, String field, String found, String expected, String cure) {
        super(file + ": " + field + ": found " + found + ", expected " + expected + ". " + cure);
        this.field = field;
    }

    public ModelFileException(Path file, String field, String found, String expected, String cure, Throwable cause) {
        super(file + ": " + field + ": found " + found + ", expected " + expected + ". " + cure, cause);
        this.field = field;
    }

    /** The metadata key, tensor name or header part at fault. */
    public String field() {
        return field;
    }
}
