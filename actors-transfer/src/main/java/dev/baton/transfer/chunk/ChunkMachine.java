package dev.baton.transfer.chunk;

import dev.baton.contract.machine.Decision;

/**
 * The chunk machine of §0x06A, with the FAILED state that §0x06B's rule needs. One table serves both ends: the source never
 * sees an arrival, so a sent chunk may become visible; the destination never sees the credit, so a declared chunk may arrive.
 */
public final class ChunkMachine {
    private ChunkMachine() {}

    /** What happens to one chunk. */
    public sealed interface Event {
        record CreditGranted() implements Event {}

        record Sent() implements Event {}

        record Received() implements Event {}

        record BecameVisible() implements Event {}

        record Failed() implements Event {}

        /** The transport holds no buffer of this chunk any more, or its epoch is fenced. */
        record Quiesced() implements Event {}
    }

    /** What follows. */
    public sealed interface Effect {
        /** Exactly once for a chunk that held credit. */
        record ReturnCredit() implements Effect {}
    }

    /** Steps out of order. */
    public enum Refusal {
        SENT_WITHOUT_CREDIT,
        RECEIVED_BEFORE_SENT,
        VISIBLE_BEFORE_RECEIVED
    }

    public static Decision<ChunkPhase, Effect, Refusal> decide(ChunkPhase phase, Event event) {
        return switch (phase) {
            case DECLARED ->
                switch (event) {
                    case Event.CreditGranted _ -> Decision.moved(ChunkPhase.CREDIT_ACQUIRED);
                    case Event.Sent _ -> Decision.refused(Refusal.SENT_WITHOUT_CREDIT);
                    case Event.Received _ -> Decision.moved(ChunkPhase.RECEIVED);
                    case Event.BecameVisible _ -> Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
                    case Event.Failed _, Event.Quiesced _ -> Decision.ignored("the transport holds nothing of it");
                };
            case CREDIT_ACQUIRED ->
                switch (event) {
                    case Event.Sent _ -> Decision.moved(ChunkPhase.SENT);
                    case Event.Received _ -> Decision.refused(Refusal.RECEIVED_BEFORE_SENT);
                    case Event.BecameVisible _ -> Decision.refused(Refusal.VISIBLE_BEFORE_RECEIVED);
                    case Event.Failed _ -> Decision.moved(ChunkPhase.FAILED);
                    case Event.CreditGranted _, Event.Quiesced _ -> Decision.ignored("credit is held already");
                };
            case SENT ->
                switch (event) {
                    case Event.Received _ -> Decision.moved(ChunkPhase.RECEIVED);
                    case Event.BecameVisible _ -> Decision.moved(ChunkPhase.DEVICE_VISIBLE, new Effect.ReturnCredit());
                    case Event.Failed _ -> Decision.moved(ChunkPhase.FAILED);
                    case Event.CreditGranted _, Event.Sent _, Event.Quiesced _ -> Decision.ignored("sent already");
                };
            case RECEIVED ->
                switch (event) {
                    case Event.BecameVisible _ -> Decision.moved(ChunkPhase.DEVICE_VISIBLE, new Effect.ReturnCredit());
                    case Event.Failed _ -> Decision.moved(ChunkPhase.FAILED);
                    case Event.CreditGranted _, Event.Sent _, Event.Received _, Event.Quiesced _ ->
                        Decision.ignored("received already");
                };
            case FAILED ->
                switch (event) {
                    case Event.Quiesced _ -> Decision.moved(ChunkPhase.RECLAIMED, new Effect.ReturnCredit());
                    case Event.CreditGranted _, Event.Sent _, Event.Received _, Event.BecameVisible _, Event.Failed _ ->
                        Decision.ignored("given up; its credit returns at quiescence");
                };
            case DEVICE_VISIBLE, RECLAIMED ->
                switch (event) {
                    case Event.CreditGranted _,
                            Event.Sent _,
                            Event.Received _,
                            Event.BecameVisible _,
                            Event.Failed _,
                            Event.Quiesced _ -> Decision.ignored("its credit has returned");
                };
        };
    }
}
