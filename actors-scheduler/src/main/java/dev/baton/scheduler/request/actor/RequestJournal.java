package dev.baton.scheduler.request.actor;

import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.journal.WireMessage;
import dev.baton.scheduler.request.RequestEvent;
import java.util.List;

/** What a request writes down. A reader refuses a version above its own rather than guess. */
public sealed interface RequestJournal extends WireMessage {
    int VERSION = 1;

    int version();

    /**
     * An event that the machine adopted.
     *
     * @param where node that adopted it
     */
    record Adopted(int version, String where, RequestEvent event) implements RequestJournal {}

    /** Transitions told by workers: commentary, without effect on the request. */
    record Commentary(int version, List<TransitionRecord> transitions) implements RequestJournal {
        public Commentary {
            transitions = List.copyOf(transitions);
        }
    }
}
