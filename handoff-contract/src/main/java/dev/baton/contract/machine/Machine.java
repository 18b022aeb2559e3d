package dev.baton.contract.machine;

/**
 * A pure state machine: no clock, no randomness, no I/O. Time arrives inside events as {@code atNanos}.
 *
 * @param <S> sealed state type
 * @param <E> sealed event type
 * @param <F> sealed effect type
 * @param <R> refusal reasons
 */
@FunctionalInterface
public interface Machine<S, E, F, R extends Enum<R>> {
    Decision<S, F, R> decide(S state, E event);
}
