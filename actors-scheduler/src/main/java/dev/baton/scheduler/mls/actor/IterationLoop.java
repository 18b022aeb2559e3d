package dev.baton.scheduler.mls.actor;

import dev.baton.scheduler.mls.IterationPlan;
import dev.baton.scheduler.mls.MlsLimits;
import dev.baton.scheduler.mls.MlsMachine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The one thread that drives a worker's device. Work is added and removed from any thread; see {@link LoopWork} for what the
 * loop promises in return.
 */
public final class IterationLoop implements AutoCloseable {
    private static final long JOIN_MILLIS = 10_000;

    private sealed interface Command {}

    private record Add(LoopWork work) implements Command {}

    private record Remove(long work) implements Command {}

    private final BatchEngine engine;
    private final MlsMachine scheduler;
    private final MlsLimits limits;
    private final LoopObserver observer;
    private final ManyToOneConcurrentArrayQueue<Command> commands;
    private final AtomicInteger prefills = new AtomicInteger();
    private final AtomicLong workIds = new AtomicLong();
    private final AtomicInteger decodes = new AtomicInteger();
    private final AtomicLong pendingPrefillTokens = new AtomicLong();
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean stopped;

    /** Touched by the loop's thread only. The second map holds how far each prompt is computed. */
    private final Map<Long, LoopWork> live = new HashMap<>();

    private final Map<Long, Integer> computedTokens = new HashMap<>();

    /**
     * @param engine closed by the loop when it ends
     * @param limits of iterations and of work held at once; more is refused
     */
    public IterationLoop(String name, BatchEngine engine, MlsLimits limits, LoopObserver observer) {
        if (limits.maxRows() > engine.maxRows()) {
            throw new IllegalArgumentException("iterations of " + limits.maxRows()
                    + " rows need an engine for as many, not for " + engine.maxRows());
        }
        this.engine = engine;
        this.limits = limits;
        this.scheduler = new MlsMachine(limits);
        this.observer = observer;
        // A work has one Add and at most one Remove, which may arrive after it ended by itself: room for twice that.
        this.commands =
                new ManyToOneConcurrentArrayQueue<>(4 * (limits.maxQueuedPrefills() + limits.maxDecodes()) + 16);
        this.thread = new Thread(this::run, "baton-loop-" + name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** A fresh {@link LoopWork#id()}. */
    public long newWorkId() {
        return workIds.incrementAndGet();
    }

    /** @return false when too many works are here already or the loop has stopped; the work was not touched then */
    public boolean add(LoopWork work) {
        if (stopped || closing) {
            return false;
        }
        switch (work) {
            case PrefillWork prefill -> {
                if (!admit(prefills, limits.maxQueuedPrefills())) {
                    return false;
                }
                pendingPrefillTokens.addAndGet(prefill.tokenCount());
            }
            case DecodeWork decode -> {
                if (!admit(decodes, limits.maxDecodes())) {
                    return false;
                }
            }
        }
        submit(new Add(work));
        return true;
    }

    private static boolean admit(AtomicInteger admitted, int most) {
        if (admitted.incrementAndGet() > most) {
            admitted.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Asks for the end of a work; to be called at most once per added work. {@link LoopWork#removed()} answers. */
    public void remove(long work) {
        submit(new Remove(work));
    }

    public LoopLoad load() {
        return new LoopLoad(pendingPrefillTokens.get(), decodes.get());
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Ends every work with {@code removed()}, stops the thread and closes the engine. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        if (thread.getState() == Thread.State.NEW) {
            engine.close();
            return;
        }
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void submit(Command command) {
        if (!commands.offer(command)) {
            throw new IllegalStateException("more commands than works allow: a work was removed twice");
        }
        LockSupport.unpark(thread);
    }

    private void run() {
        try {
            while (!closing) {
                commands.drain(this::accept);
                IterationPlan plan = scheduler.plan();
                if (plan.isEmpty()) {
                    if (commands.isEmpty() && !closing) {
                        LockSupport.park(this);
                    }
                } else {
                    iterate(plan);
                }
            }
            endAll();
        } catch (Throwable bug) {
            stopped = true;
            failAll(bug);
            observer.stopped(bug);
        } finally {
            stopped = true;
            engine.close();
        }
    }

    private void accept(Command command) {
        switch (command) {
            case Add(LoopWork work) -> {
                if (live.putIfAbsent(work.id(), work) != null) {
                    throw new IllegalStateException("work " + work.id() + " was added twice");
                }
                work.begin();
                switch (work) {
                    case PrefillWork prefill -> {
                        computedTokens.put(work.id(), 0);
                        require(scheduler.queuePrefill(work.id(), prefill.tokenCount()));
                    }
                    case DecodeWork decode -> require(scheduler.admitDecode(work.id()));
                }
            }
            case Remove(long id) -> {
                LoopWork work = live.get(id);
                if (work != null) {
                    end(work);
                }
            }
        }
    }

    /** The loop admits no more than the scheduler does, so a refusal means that they count differently. */
    private static void require(Optional<MlsMachine.Refusal> refusal) {
        refusal.ifPresent(reason -> {
            throw new IllegalStateException("the scheduler refused admitted work: " + reason);
        });
    }

    private void iterate(IterationPlan plan) {
        long startNanos = System.nanoTime();
        List<SequenceRows> rows =
                new ArrayList<>(plan.slices().size() + plan.decodes().size());
        int prefillRows = 0;
        for (IterationPlan.Slice slice : plan.slices()) {
            rows.add(prefillRows(slice));
            prefillRows += slice.count();
        }
        for (long id : plan.decodes()) {
            DecodeWork work = decode(id);
            rows.add(new SequenceRows(new int[] {work.nextToken()}, work.nextPosition(), work.blockTable(), true));
        }
        engine.begin(rows);
        for (int layer = 0; layer < engine.layers(); layer++) {
            engine.layer(layer);
            for (IterationPlan.Slice slice : plan.slices()) {
                prefill(slice.id()).layerReady(layer, end(slice));
            }
        }
        if (rows.stream().anyMatch(SequenceRows::wantsLogits)) {
            engine.finish();
        }
        scheduler.completed(plan);
        report(plan, rows);
        observer.iterated(prefillRows, plan.decodes().size(), System.nanoTime() - startNanos);
    }

    private void report(IterationPlan plan, List<SequenceRows> rows) {
        int index = 0;
        for (IterationPlan.Slice slice : plan.slices()) {
            PrefillWork work = prefill(slice.id());
            computedTokens.put(work.id(), end(slice));
            pendingPrefillTokens.addAndGet(-slice.count());
            if (rows.get(index).wantsLogits()) {
                work.promptComputed(engine.logits(index));
                end(work);
            }
            index++;
        }
        for (long id : plan.decodes()) {
            DecodeWork work = decode(id);
            if (!work.advance(engine.logits(index))) {
                end(work);
            }
            index++;
        }
    }

    private SequenceRows prefillRows(IterationPlan.Slice slice) {
        PrefillWork work = prefill(slice.id());
        Integer computed = computedTokens.get(slice.id());
        if (computed == null || computed != slice.from() || end(slice) > work.tokenCount()) {
            throw new IllegalStateException("planned " + slice + " of a prompt computed up to " + computed);
        }
        int[] tokens = new int[slice.count()];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = work.token(slice.from() + i);
        }
        return new SequenceRows(tokens, slice.from(), work.blockTable(), end(slice) == work.tokenCount());
    }

    private static int end(IterationPlan.Slice slice) {
        return slice.from() + slice.count();
    }

    private PrefillWork prefill(long id) {
        if (live.get(id) instanceof PrefillWork work) {
            return work;
        }
        throw new IllegalStateException("planned prefill of " + id + ", which is none");
    }

    private DecodeWork decode(long id) {
        if (live.get(id) instanceof DecodeWork work) {
            return work;
        }
        throw new IllegalStateException("planned decode of " + id + ", which is none");
    }

    private void end(LoopWork work) {
        forget(work);
        scheduler.remove(work.id());
        work.removed();
    }

    private void forget(LoopWork work) {
        live.remove(work.id());
        switch (work) {
            case PrefillWork prefill -> {
                prefills.decrementAndGet();
                Integer computed = computedTokens.remove(work.id());
                pendingPrefillTokens.addAndGet((computed == null ? 0 : computed) - (long) prefill.tokenCount());
            }
            case DecodeWork decode -> decodes.decrementAndGet();
        }
    }

    private void endAll() {
        commands.drain(this::accept);
        List.copyOf(live.values()).forEach(this::end);
    }

    /** After a bug no work's own code is trusted either: one that throws here does not keep the others from being told. */
    private void failAll(Throwable bug) {
        commands.drain(command -> {
            if (command instanceof Add(LoopWork work)) {
                live.putIfAbsent(work.id(), work);
            }
        });
        for (LoopWork work : List.copyOf(live.values())) {
            try {
                forget(work);
                work.failed(bug);
            } catch (RuntimeException e) {
                bug.addSuppressed(e);
            }
        }
    }
}
