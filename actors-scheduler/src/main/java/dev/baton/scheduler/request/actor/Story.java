package dev.baton.scheduler.request.actor;

import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.machine.Decision;
import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestEffect;
import dev.baton.scheduler.request.RequestEvent;
import dev.baton.scheduler.request.RequestMachine;
import dev.baton.scheduler.request.RequestState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * All that an entity knows, as a function of its journal: the machine's state, the output, the trace. Owned by one actor and
 * changed only by {@link #apply}.
 */
final class Story {
    private static final String MACHINE = "request";

    private final RequestMachine machine;
    private final int maxTraceRecords;
    private final List<OutputItem> items = new ArrayList<>();
    private final List<TransitionRecord> own = new ArrayList<>();
    private final List<TransitionRecord> told = new ArrayList<>();
    private RequestState state = new RequestState.New();
    private List<RequestEffect> effects = List.of();
    private long decisions;
    private long alike;

    Story(RequestMachine machine, int maxTraceRecords) {
        this.machine = machine;
        this.maxTraceRecords = maxTraceRecords;
    }

    RequestState state() {
        return state;
    }

    List<OutputItem> items() {
        return items;
    }

    Decision<RequestState, RequestEffect, RequestMachine.Refusal> decide(RequestEvent event) {
        return machine.decide(state, event);
    }

    /** Effects of the event adopted last, without output, which is part of the story. */
    List<RequestEffect> effects() {
        return effects;
    }

    Story apply(RequestJournal entry) {
        if (entry.version() > RequestJournal.VERSION) {
            throw new IllegalStateException("journal entry of version " + entry.version() + ", this node reads up to "
                    + RequestJournal.VERSION + ": upgrade it");
        }
        switch (entry) {
            case RequestJournal.Adopted adopted -> adopt(adopted);
            case RequestJournal.Commentary commentary -> tell(commentary.transitions());
        }
        return this;
    }

    private void adopt(RequestJournal.Adopted adopted) {
        RequestEvent event = adopted.event();
        switch (machine.decide(state, event)) {
            case Decision.Moved<RequestState, RequestEffect, RequestMachine.Refusal> moved -> {
                record(adopted.where(), event, moved.next());
                state = moved.next();
                List<RequestEffect> others = new ArrayList<>();
                for (RequestEffect effect : moved.effects()) {
                    if (effect instanceof RequestEffect.Emit(OutputItem item)) {
                        items.add(item);
                    } else {
                        others.add(effect);
                    }
                }
                effects = others;
            }
            case Decision.Ignored<RequestState, RequestEffect, RequestMachine.Refusal> ignored ->
                throw notAdopted(event, ignored.why());
            case Decision.Refused<RequestState, RequestEffect, RequestMachine.Refusal> refused ->
                throw notAdopted(event, refused.reason().name());
        }
    }

    private IllegalStateException notAdopted(RequestEvent event, String why) {
        return new IllegalStateException("journaled event " + name(event) + " is not adopted in state " + name(state)
                + " (" + why + "): rules changed without a new journal version");
    }

    /** Token batches are many and alike: the first is kept, the others become one record with their number. */
    private void record(String where, RequestEvent event, RequestState to) {
        boolean batch = event instanceof RequestEvent.TokensProduced && to.getClass() == state.getClass();
        TransitionRecord next = new TransitionRecord(
                MACHINE,
                where,
                event.atNanos() / 1_000,
                decisions++,
                name(state),
                name(event),
                name(to),
                Details.of(event, to));
        alike = batch ? alike + 1 : 0;
        if (alike > 2) {
            own.removeLast();
        }
        own.add(alike < 2 ? next : Details.lastOf(next, alike));
    }

    private void tell(List<TransitionRecord> transitions) {
        int room = Math.max(0, maxTraceRecords - told.size());
        told.addAll(transitions.subList(0, Math.min(room, transitions.size())));
    }

    /** Every machine's transitions, by time; within one machine by its own count. */
    List<TransitionRecord> trace() {
        List<TransitionRecord> all = new ArrayList<>(own);
        all.addAll(told);
        all.sort(Comparator.comparingLong(TransitionRecord::atEpochMicros)
                .thenComparing(TransitionRecord::machine)
                .thenComparingLong(TransitionRecord::sequence));
        return all;
    }

    private static String name(Object stateOrEvent) {
        return stateOrEvent.getClass().getSimpleName();
    }
}
