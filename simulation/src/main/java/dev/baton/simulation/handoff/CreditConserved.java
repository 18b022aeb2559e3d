package dev.baton.simulation.handoff;

/** §0x06B: {@code 0 <= B_inflight <= C_credit} at every step, credit back only at DEVICE_VISIBLE or after quiescence, 0 at the end. */
final class CreditConserved {
    final long capacityBytes;
    private long inflightBytes;

    CreditConserved(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    boolean fits(long payloadBytes) {
        return inflightBytes + payloadBytes <= capacityBytes;
    }

    void acquired(long payloadBytes) {
        inflightBytes += payloadBytes;
        if (inflightBytes > capacityBytes) {
            throw new Violation(CreditConserved.class, inflightBytes + " of " + capacityBytes + " bytes in flight");
        }
    }

    void returned(long payloadBytes) {
        inflightBytes -= payloadBytes;
        if (inflightBytes < 0) {
            throw new Violation(CreditConserved.class, "more credit returned than acquired: " + inflightBytes);
        }
    }

    void returnedByDestination(boolean deviceVisible, int index) {
        if (!deviceVisible) {
            throw new Violation(CreditConserved.class, "credit of chunk " + index + " returned before DEVICE_VISIBLE");
        }
    }

    /** The ledger dies with its worker. */
    void crashed() {
        inflightBytes = 0;
    }

    void atEnd() {
        if (inflightBytes != 0) {
            throw new Violation(CreditConserved.class, inflightBytes + " bytes of credit lost");
        }
    }
}
