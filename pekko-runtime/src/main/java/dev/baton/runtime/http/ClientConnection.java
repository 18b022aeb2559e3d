package dev.baton.runtime.http;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.pekko.http.javadsl.model.AttributeKey;

/**
 * One TCP connection of a client, attached to each of its requests. Whoever does work for the client registers to hear when
 * the connection goes, and unregisters when the work is done, so a long-lived connection collects nothing.
 */
final class ClientConnection {
    static final AttributeKey<ClientConnection> KEY = AttributeKey.create("baton-connection", ClientConnection.class);

    private final Set<Listener> listeners = new LinkedHashSet<>();
    private boolean gone;

    /** A registration; closing it more than once does no harm. */
    final class Listener implements AutoCloseable {
        private final Runnable action;

        private Listener(Runnable action) {
            this.action = action;
        }

        @Override
        public void close() {
            synchronized (ClientConnection.this) {
                listeners.remove(this);
            }
        }
    }

    /** Runs the action once when the connection goes; at once where it is gone already. */
    Listener onGone(Runnable action) {
        Listener listener = new Listener(action);
        boolean now;
        synchronized (this) {
            now = gone;
            if (!now) {
                listeners.add(listener);
            }
        }
        if (now) {
            action.run();
        }
        return listener;
    }

    void wentAway() {
        List<Listener> told;
        synchronized (this) {
            gone = true;
            told = List.copyOf(listeners);
            listeners.clear();
        }
        told.forEach(listener -> listener.action.run());
    }

    synchronized int listeners() {
        return listeners.size();
    }
}
