package dev.baton.kernels.ffi;

import java.io.Serial;

/** A native call refused its arguments or failed. The message is the native text; nothing was changed by a refused call. */
public final class KernelException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;

    public KernelException(int status, String message) {
        super(message);
        this.status = status;
    }

    public KernelException(int status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** A {@code BT_ERR_*} value of the ABI. */
    public int status() {
        return status;
    }

    /** Whether this machine or build lacks what was asked for. */
    public boolean unsupported() {
        return status == Bt.ERR_UNSUPPORTED;
    }
}
