package dev.baton.scheduler.request.actor;

import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.journal.WireMessage;
import dev.baton.scheduler.request.RequestEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Journal entries for tests outside this package. */
public final class JournalSamples {
    private JournalSamples() {}

    public static List<WireMessage> of(List<RequestEvent> events, List<TransitionRecord> transitions) {
        List<WireMessage> entries = new ArrayList<>();
        events.forEach(e -> entries.add(new RequestJournal.Adopted(RequestJournal.VERSION, "node", e)));
        entries.add(new RequestJournal.Commentary(RequestJournal.VERSION, transitions));
        return entries;
    }

    /** Kinds of events that can be journaled. */
    public static List<String> eventNames() {
        return Arrays.stream(RequestEvent.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .map(Class::getSimpleName)
                .toList();
    }
}
