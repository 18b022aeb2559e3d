package dev.baton.transfer.protocol;

/**
 * Why a transfer ended without publication.
 *
 * @param detail name of the refusal or of the state whose deadline passed; empty where the cause says it all; never data
 */
public record AbortReason(AbortCause cause, String detail) {

    public static AbortReason of(AbortCause cause) {
        return new AbortReason(cause, "");
    }

    public static AbortReason of(AbortCause cause, Enum<?> detail) {
        return new AbortReason(cause, detail.name());
    }
}
