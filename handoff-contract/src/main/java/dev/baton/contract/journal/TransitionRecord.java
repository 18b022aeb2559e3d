package dev.baton.contract.journal;

/**
 * One adopted decision, as told to whoever reads a request back.
 *
 * @param machine name of the machine, such as {@code transfer-destination}
 * @param where worker or node that adopted it
 * @param atEpochMicros wall clock at the place of adoption, for display; order within one machine is {@code sequence}
 * @param sequence counts the decisions of this machine instance from 0
 * @param from simple name of the state left
 * @param event simple name of the event
 * @param to simple name of the state entered, equal to {@code from} where only content changed
 * @param detail amounts as {@code key=value} pairs; never prompt text, keys or payload
 */
public record TransitionRecord(
        String machine,
        String where,
        long atEpochMicros,
        long sequence,
        String from,
        String event,
        String to,
        String detail) {
    /** Version of this record in the journal. */
    public static final int VERSION = 1;
}
