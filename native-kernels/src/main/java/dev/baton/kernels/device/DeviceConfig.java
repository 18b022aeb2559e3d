package dev.baton.kernels.device;

/**
 * Which device to open.
 *
 * @param backend AUTO takes the fastest this build and machine have
 * @param isa instruction set of the CPU backend; AUTO takes the best this processor has. Forcing one that it lacks is refused
 * @param threads workers including the calling thread, 0 for one per processor
 * @param pin whether worker threads stay on one processor each
 */
public record DeviceConfig(Backend backend, Isa isa, int threads, boolean pin) {

    /** Order is that of the ABI. */
    public enum Backend {
        AUTO,
        REFERENCE,
        CPU
    }

    /** Order is that of the ABI. */
    public enum Isa {
        AUTO,
        SCALAR,
        AVX2,
        AVX512
    }

    public static DeviceConfig auto(int threads) {
        return new DeviceConfig(Backend.AUTO, Isa.AUTO, threads, false);
    }

    public static DeviceConfig reference() {
        return new DeviceConfig(Backend.REFERENCE, Isa.AUTO, 1, false);
    }

    public static DeviceConfig cpu(Isa isa, int threads) {
        return new DeviceConfig(Backend.CPU, isa, threads, false);
    }
}
