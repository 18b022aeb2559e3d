package dev.baton.transfer.chunk;

/** Life of one chunk, §0x06A. The source sees it sent and then visible; the destination sees it received and then visible. */
public enum ChunkPhase {
    /** In the plan. */
    DECLARED,
    /** The sender holds byte credit for it. */
    CREDIT_ACQUIRED,
    /** Handed to the transport. */
    SENT,
    /** In the destination's staging, not yet readable by the device. */
    RECEIVED,
    /** The device may read it; its credit has returned. */
    DEVICE_VISIBLE,
    /** Given up; the transport may still own its buffer, so its credit is still out. */
    FAILED,
    /** Given up, transport quiescent or fenced, credit returned. */
    RECLAIMED;

    /** Between acquiring credit and its return. */
    public boolean holdsCredit() {
        return switch (this) {
            case CREDIT_ACQUIRED, SENT, RECEIVED, FAILED -> true;
            case DECLARED, DEVICE_VISIBLE, RECLAIMED -> false;
        };
    }
}
