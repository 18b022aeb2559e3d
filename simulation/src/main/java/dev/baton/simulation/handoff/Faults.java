package dev.baton.simulation.handoff;

import java.util.Random;

/**
 * How unkind one run is; drawn from its seed.
 *
 * @param lossPercent of messages between workers
 * @param repeatPercent of messages between workers
 * @param hurryPercent chance of a step that lets the next deadline pass although events are waiting
 * @param cancelPercent chance of a step that cancels an attempt
 * @param crashPercent chance of a step that crashes a worker, in hundredths of a percent
 * @param deafPercent of quiescence requests that are never answered
 */
record Faults(
        int lossPercent, int repeatPercent, int hurryPercent, int cancelPercent, int crashPercent, int deafPercent) {

    static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

    static Faults drawn(Random random) {
        return new Faults(
                random.nextBoolean() ? 0 : random.nextInt(12),
                random.nextInt(15),
                random.nextBoolean() ? 0 : random.nextInt(3),
                random.nextBoolean() ? 0 : 1,
                random.nextInt(3) == 0 ? 50 : 0,
                random.nextBoolean() ? 0 : 30);
    }
}
