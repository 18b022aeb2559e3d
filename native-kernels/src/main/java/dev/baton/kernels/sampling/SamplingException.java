package dev.baton.kernels.sampling;

/** Parameters or logits that no token can be chosen from. */
public final class SamplingException extends RuntimeException {

    private final String field;

    public SamplingException(String field, String message) {
        super(field + ": " + message);
        this.field = field;
    }

    /** The parameter at fault, spelled as in requests ({@code top_p}), or {@code logits}. */
    public String field() {
        return field;
    }
}
