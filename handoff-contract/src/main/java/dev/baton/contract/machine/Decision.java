package dev.baton.contract.machine;

import java.util.List;

/**
 * What a machine answers to one event. Exactly one of three: the state moved, the event no longer matters, or the event
 * breaks a rule. Refusals are counted and answered by reason; nothing about the state changes.
 *
 * @param <S> state
 * @param <F> effect
 * @param <R> refusal reason
 */
public sealed interface Decision<S, F, R extends Enum<R>> {

    /** The event was accepted; {@code next} is adopted before any effect runs, effects run in list order. */
    record Moved<S, F, R extends Enum<R>>(S next, List<F> effects) implements Decision<S, F, R> {
        public Moved {
            effects = List.copyOf(effects);
        }
    }

    /** A duplicate or a late arrival: harmless, nothing changes. {@code why} is a constant text, never data. */
    record Ignored<S, F, R extends Enum<R>>(String why) implements Decision<S, F, R> {}

    /** A violation: nothing changes, the reason is counted and answered. */
    record Refused<S, F, R extends Enum<R>>(R reason) implements Decision<S, F, R> {}

    static <S, F, R extends Enum<R>> Decision<S, F, R> moved(S next, List<F> effects) {
        return new Moved<>(next, effects);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    static <S, F, R extends Enum<R>> Decision<S, F, R> moved(S next, F... effects) {
        return new Moved<>(next, List.of(effects));
    }

    static <S, F, R extends Enum<R>> Decision<S, F, R> ignored(String why) {
        return new Ignored<>(why);
    }

    static <S, F, R extends Enum<R>> Decision<S, F, R> refused(R reason) {
        return new Refused<>(reason);
    }
}
