package dev.baton.scheduler.mls.actor;

import dev.baton.contract.machine.Machine;
import dev.baton.contract.machine.MachineHost;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A {@link MachineHost} whose effects may answer at once: an event submitted from inside an effect waits until the decision
 * that caused it is complete. Belongs to one actor.
 */
public final class QueuedHost<S, E, F, R extends Enum<R>> {
    private final MachineHost<S, E, F, R> host;
    private final Deque<E> waiting = new ArrayDeque<>();
    private boolean handling;

    public QueuedHost(
            Machine<S, E, F, R> machine,
            S initial,
            MachineHost.Recorder<S, E> recorder,
            Consumer<F> effects,
            BiConsumer<R, E> refusals) {
        this.host = new MachineHost<>(machine, initial, recorder, effects, refusals);
    }

    public S state() {
        return host.state();
    }

    public void submit(E event) {
        waiting.add(event);
        if (handling) {
            return;
        }
        handling = true;
        try {
            E next = waiting.poll();
            while (next != null) {
                host.handle(next);
                next = waiting.poll();
            }
        } finally {
            handling = false;
        }
    }
}
