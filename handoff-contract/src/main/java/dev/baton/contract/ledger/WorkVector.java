package dev.baton.contract.ledger;

/**
 * {@code W = (F, B_weights, B_KV,read, B_KV,write, A, N_new)} of one iteration (§0x02B). State bytes are lower bounds: a real
 * kernel may reload tiles.
 *
 * @param flops F
 * @param weightBytes read once per iteration
 * @param kvReadBytes unique visible K/V state
 * @param kvWriteBytes K/V state produced
 * @param causalPairs A, query-key pairs per head
 * @param newRows N_new
 */
public record WorkVector(
        long flops, long weightBytes, long kvReadBytes, long kvWriteBytes, long causalPairs, long newRows) {

    /**
     * One iteration that carries both phases of the same model: weights are read once, everything else adds.
     *
     * @throws IllegalArgumentException when the two do not share their weights
     */
    public WorkVector mixedWith(WorkVector other) {
        if (weightBytes != other.weightBytes) {
            throw new IllegalArgumentException("a mixed iteration shares one model; weights are " + weightBytes
                    + " and " + other.weightBytes + " bytes");
        }
        return new WorkVector(
                Math.addExact(flops, other.flops),
                weightBytes,
                Math.addExact(kvReadBytes, other.kvReadBytes),
                Math.addExact(kvWriteBytes, other.kvWriteBytes),
                Math.addExact(causalPairs, other.causalPairs),
                Math.addExact(newRows, other.newRows));
    }

    public long stateBytes() {
        return weightBytes + kvReadBytes + kvWriteBytes;
    }

    /** FLOPs per state byte; above {@link ServiceRates#ridge} the compute side bounds the time. */
    public double intensity() {
        return (double) flops / stateBytes();
    }

    /** {@code t(W) = max(F / C, stateBytes / R)} in nanoseconds: a lower bound, no latency prediction. */
    public double lowerBoundNanos(ServiceRates rates) {
        return Math.max(flops / rates.flopsPerSecond(), stateBytes() / rates.stateBytesPerSecond()) * 1e9;
    }
}
