package dev.baton.kernels.template;

/** A chat that the model's template does not render. The message says why, in the template's words where it has any. */
public final class TemplateException extends RuntimeException {

    public TemplateException(String message) {
        super(message);
    }

    public TemplateException(String message, Throwable cause) {
        super(message, cause);
    }
}
