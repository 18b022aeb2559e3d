package dev.baton.simulation.handoff;

/** An invariant does not hold: a bug, never retried. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(Class<?> invariant, String what) {
        super(invariant.getSimpleName() + ": " + what);
    }
}
