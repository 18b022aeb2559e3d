package dev.baton.simulation.handoff;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** What may happen next, in any order. */
final class Queue {
    enum Kind {
        /** Between workers: may be lost, repeated, reordered. */
        CONTROL,
        /** Between workers, with bytes. */
        CHUNK,
        /** Inside one worker: may only be late. */
        LOCAL,
        /** A device copy inside the destination. */
        COPY
    }

    record Item(Kind kind, String worker, String transfer, Runnable run) {}

    private final List<Item> items = new ArrayList<>();

    void add(Item item) {
        items.add(item);
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    void dropIf(Predicate<Item> condition) {
        items.removeIf(condition);
    }

    boolean any(Predicate<Item> condition) {
        return items.stream().anyMatch(condition);
    }

    /** One item in seeded order; between workers it may be lost or stay for a second delivery. */
    void step(Random random, Faults faults) {
        int at = random.nextInt(items.size());
        Item item = items.get(at);
        boolean network = item.kind() == Kind.CONTROL || item.kind() == Kind.CHUNK;
        boolean repeated = network && random.nextInt(100) < faults.repeatPercent();
        if (!repeated) {
            items.remove(at);
        }
        if (!network || random.nextInt(100) >= faults.lossPercent()) {
            item.run().run();
        }
    }
}
