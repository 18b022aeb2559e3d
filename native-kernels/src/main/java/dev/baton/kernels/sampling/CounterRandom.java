package dev.baton.kernels.sampling;

/**
 * Random numbers as a function: (seed, choice, token index) gives the number, and nothing is remembered between calls. Each
 * coordinate is added times an odd constant and mixed through the finalizer of SplitMix64 (Steele, Lea, Flood 2014), which
 * is a bijection, so numbers of neighbouring coordinates are as good as independent.
 */
public final class CounterRandom {

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
    private static final long CHOICE = 0xD1B5_4A32_D192_ED03L;
    private static final double UNIT = 0x1p-53;

    private CounterRandom() {}

    /** 64 random bits. */
    public static long bits(long seed, int choice, long tokenIndex) {
        long mixed = mix(seed + GOLDEN);
        mixed = mix(mixed + (choice + 1L) * CHOICE);
        return mix(mixed + (tokenIndex + 1) * GOLDEN);
    }

    /** Uniform from 0 to below 1, a multiple of 2^-53. */
    public static double uniform(long seed, int choice, long tokenIndex) {
        return (bits(seed, choice, tokenIndex) >>> 11) * UNIT;
    }

    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        long x = (y ^ (y >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return x ^ (x >>> 31);
    }
}
