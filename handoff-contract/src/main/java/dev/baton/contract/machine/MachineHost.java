package dev.baton.contract.machine;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Drives one machine: decide, record, adopt, run the effects, in that order. Not thread-safe: one host belongs to one actor
 * (or to the simulator, which uses the same class).
 *
 * <p>An effect may feed an event back into the same host; such an event is queued by the shell, never handled inside the
 * effect, so a decision is always complete before the next begins.
 */
public final class MachineHost<S, E, F, R extends Enum<R>> {

    /** Told of every adopted decision, before its effects run. */
    @FunctionalInterface
    public interface Recorder<S, E> {
        void adopted(S from, E event, S to);
    }

    private final Machine<S, E, F, R> machine;
    private final Recorder<S, E> recorder;
    private final Consumer<F> effects;
    private final BiConsumer<R, E> refusals;
    private S state;
    private boolean deciding;

    public MachineHost(
            Machine<S, E, F, R> machine,
            S initial,
            Recorder<S, E> recorder,
            Consumer<F> effects,
            BiConsumer<R, E> refusals) {
        this.machine = machine;
        this.state = initial;
        this.recorder = recorder;
        this.effects = effects;
        this.refusals = refusals;
    }

    public S state() {
        return state;
    }

    /** @throws IllegalStateException when called from inside a recorder, effect or refusal callback of this host */
    public Decision<S, F, R> handle(E event) {
        if (deciding) {
            throw new IllegalStateException(
                    "event handled inside an effect or callback of the same host: " + event.getClass());
        }
        deciding = true;
        try {
            Decision<S, F, R> decision = machine.decide(state, event);
            switch (decision) {
                case Decision.Moved<S, F, R> moved -> {
                    recorder.adopted(state, event, moved.next());
                    state = moved.next();
                    moved.effects().forEach(effects);
                }
                case Decision.Ignored<S, F, R> ignored -> {}
                case Decision.Refused<S, F, R> refused -> refusals.accept(refused.reason(), event);
            }
            return decision;
        } finally {
            deciding = false;
        }
    }
}
