package dev.baton.simulation.handoff;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.manifest.ChunkSpec;
import dev.baton.transfer.destination.DestinationTransfer;
import dev.baton.transfer.directory.DirectoryAnswer;
import dev.baton.transfer.directory.Lookup;
import dev.baton.transfer.directory.PublicationDirectory;
import dev.baton.transfer.directory.PublicationHandle;
import dev.baton.transfer.source.SourceTransfer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One run from one seed: setup, steps until nothing is left to do, check. */
final class HandoffWorld {
    static final String SOURCE = "source";
    static final String DESTINATION = "destination";
    private static final int STEP_LIMIT = 20_000;
    private static final long WINDOW_BYTES = 2_048;
    private static final int BLOCKS = 6;

    private record Offer(Attempt attempt, ChunkSpec spec) {}

    final Queue queue = new Queue();
    final CreditConserved credit = new CreditConserved(WINDOW_BYTES);
    final BlocksConserved blocks = new BlocksConserved(BLOCKS);
    final PublicationSound publication = new PublicationSound();
    private final Random random;
    private final Faults faults;
    private final Machines machines;
    private PublicationDirectory directory = new PublicationDirectory(64);
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Offer> offers = new ArrayList<>();
    private final Map<PublicationHandle, @Nullable Generation> before = new HashMap<>();
    private boolean sourceAlive = true;
    private boolean destinationAlive = true;
    private long now = 1;

    HandoffWorld(long seed, Faults faults, Machines machines) {
        this.random = new Random(seed);
        this.faults = faults;
        this.machines = machines;
        for (int generation = 1; generation <= 2; generation++) {
            attempts.add(new Attempt(this, Scenario.terms(generation), machines));
        }
        attempts.forEach(Attempt::begin);
    }

    /**
     * Runs to the end.
     *
     * @throws Violation when an invariant does not hold
     */
    Outcome run() {
        for (int step = 0; step < STEP_LIMIT; step++) {
            now++;
            misfortune();
            grantCredit();
            tellQuiescence();
            if (!queue.isEmpty() && random.nextInt(100) >= faults.hurryPercent()) {
                queue.step(random, faults);
            } else if (!passNextDeadline() && queue.isEmpty()) {
                return end();
            }
        }
        throw new Violation(HandoffWorld.class, "does not end: " + STEP_LIMIT + " steps");
    }

    private Outcome end() {
        credit.atEnd();
        blocks.atEnd();
        for (Attempt attempt : attempts) {
            if (sourceAlive && (!attempt.sourceEnded() || attempt.pins != 0)) {
                throw new Violation(HandoffWorld.class, attempt.name + " source ended with " + attempt.pins + " pins");
            }
            if (destinationAlive && (!attempt.destinationEnded() || attempt.stagingBytes() != 0)) {
                throw new Violation(HandoffWorld.class, attempt.name + " ended with staging " + attempt.stagingBytes());
            }
        }
        return new Outcome((int) attempts.stream().filter(Attempt::published).count(), sourceAlive && destinationAlive);
    }

    private void misfortune() {
        if (random.nextInt(100) < faults.cancelPercent()) {
            Attempt attempt = attempts.get(random.nextInt(attempts.size()));
            local(
                    SOURCE,
                    attempt,
                    () -> attempt.tellSource(new SourceTransfer.Event.Cancelled(attempt.terms.fence(), now)));
            local(
                    DESTINATION,
                    attempt,
                    () -> attempt.tell(new DestinationTransfer.Event.Cancelled(attempt.terms.fence(), now)));
        }
        if (random.nextInt(10_000) < faults.crashPercent() && sourceAlive && destinationAlive) {
            if (random.nextBoolean()) {
                crashSource();
            } else {
                crashDestination();
            }
        }
    }

    private void crashSource() {
        sourceAlive = false;
        queue.dropIf(i -> i.worker().equals(SOURCE));
        offers.clear();
        credit.crashed();
        for (Attempt attempt : attempts) {
            attempt.pins = 0;
            attempt.sourceQuiescing = false;
            local(
                    DESTINATION,
                    attempt,
                    () -> attempt.tell(new DestinationTransfer.Event.PeerLost(
                            attempt.terms.fence().sourceEpoch(), now)));
        }
    }

    private void crashDestination() {
        destinationAlive = false;
        queue.dropIf(i -> i.worker().equals(DESTINATION));
        blocks.crashed();
        directory = new PublicationDirectory(64);
        for (Attempt attempt : attempts) {
            attempt.destinationCrashed();
            attempt.destinationQuiescing = false;
            local(
                    SOURCE,
                    attempt,
                    () -> attempt.tellSource(new SourceTransfer.Event.PeerLost(
                            attempt.terms.fence().destinationEpoch(), now)));
        }
    }

    /** In offer order, as far as the window goes. */
    private void grantCredit() {
        while (!offers.isEmpty() && credit.fits(offers.getFirst().spec().payloadBytes())) {
            Offer offer = offers.removeFirst();
            credit.acquired(offer.spec().payloadBytes());
            local(SOURCE, offer.attempt(), () -> offer.attempt().granted(offer.spec()));
        }
    }

    private void tellQuiescence() {
        for (Attempt attempt : attempts) {
            if (attempt.sourceQuiescing && attempt.sourceIsQuiescent()) {
                attempt.sourceQuiescing = false;
                local(SOURCE, attempt, () -> attempt.tellSource(new SourceTransfer.Event.TransportQuiesced(now)));
            }
            if (attempt.destinationQuiescing && attempt.destinationIsQuiescent()) {
                attempt.destinationQuiescing = false;
                local(DESTINATION, attempt, () -> attempt.tell(new DestinationTransfer.Event.TransportQuiesced(now)));
            }
        }
    }

    /** @return whether a deadline was left to pass */
    private boolean passNextDeadline() {
        long next = Long.MAX_VALUE;
        for (Attempt attempt : attempts) {
            if (sourceAlive && attempt.source.state() instanceof SourceTransfer.State.Live live) {
                next = Math.min(next, live.deadlineNanos());
            }
            if (destinationAlive && attempt.destination.state() instanceof DestinationTransfer.State.Live live) {
                next = Math.min(next, live.deadlineNanos());
            }
        }
        if (next == Long.MAX_VALUE) {
            return false;
        }
        now = Math.max(now, next);
        for (Attempt attempt : attempts) {
            if (sourceAlive) {
                attempt.tellSource(new SourceTransfer.Event.DeadlinePassed(now));
            }
            if (destinationAlive) {
                attempt.tell(new DestinationTransfer.Event.DeadlinePassed(now));
            }
        }
        return true;
    }

    long now() {
        return now;
    }

    boolean deaf() {
        return random.nextInt(100) < faults.deafPercent();
    }

    void offer(Attempt attempt, ChunkSpec spec) {
        offers.add(new Offer(attempt, spec));
    }

    void withdrawOffers(Attempt attempt) {
        offers.removeIf(offer -> offer.attempt() == attempt);
    }

    void local(String worker, Attempt attempt, Runnable run) {
        add(Queue.Kind.LOCAL, worker, attempt, run);
    }

    /** A message to {@code worker}; lost where it is dead. */
    void control(String worker, Attempt attempt, Runnable run) {
        add(Queue.Kind.CONTROL, worker, attempt, run);
    }

    void chunk(Attempt attempt, Runnable run) {
        add(Queue.Kind.CHUNK, DESTINATION, attempt, run);
    }

    void copy(Attempt attempt, Runnable run) {
        add(Queue.Kind.COPY, DESTINATION, attempt, run);
    }

    private void add(Queue.Kind kind, String worker, Attempt attempt, Runnable run) {
        if (worker.equals(SOURCE) ? sourceAlive : destinationAlive) {
            queue.add(new Queue.Item(kind, worker, attempt.name, run));
        }
    }

    DirectoryAnswer publish(Attempt attempt, List<Integer> blockIds) {
        Generation generation =
                machines.generationChecked() ? attempt.terms.fence().generation() : new Generation(now);
        DirectoryAnswer answer = directory.publishIfGenerationCurrent(
                attempt.terms.fence().request(), generation, attempt.terms.transfer(), blockIds, Long.MAX_VALUE);
        Generation previous = publication.newest();
        switch (answer) {
            case DirectoryAnswer.Published a -> published(attempt, a.handle(), previous);
            case DirectoryAnswer.PublishedOver a -> published(attempt, a.handle(), previous);
            case DirectoryAnswer.AlreadyPublishedSame _,
                    DirectoryAnswer.StaleGeneration _,
                    DirectoryAnswer.AlreadyEnded _,
                    DirectoryAnswer.Withdrawn _ -> {}
        }
        return answer;
    }

    private void published(Attempt attempt, PublicationHandle handle, @Nullable Generation previous) {
        before.put(handle, previous);
        publication.published(
                attempt.terms.fence().generation(),
                attempt.visibleChunks(),
                attempt.terms.plan().count());
    }

    DirectoryAnswer withdraw(Attempt attempt) {
        int readable = directory.publishedCount();
        DirectoryAnswer answer = directory.withdraw(attempt.terms.fence().request(), attempt.terms.transfer());
        if (directory.publishedCount() < readable) {
            before.forEach((handle, previous) -> {
                if (handle.transfer().equals(attempt.terms.transfer())) {
                    publication.withdrawn(previous);
                }
            });
        }
        return answer;
    }

    Lookup consume(PublicationHandle handle) {
        return directory.consume(handle, handle.generation());
    }

    /**
     * How a run ended.
     *
     * @param publishedCount attempts that were published
     * @param calm whether nobody crashed
     */
    record Outcome(int publishedCount, boolean calm) {}
}
