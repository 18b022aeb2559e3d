package dev.baton.scheduler.worker;

/** What a worker does at present; a state under a role epoch, not a kind of hardware (§0x08G). */
public enum Role {
    PREFILL,
    DECODE,
    MIXED,
    COLOCATED;

    public boolean prefills() {
        return this != DECODE;
    }

    public boolean decodes() {
        return this != PREFILL;
    }
}
