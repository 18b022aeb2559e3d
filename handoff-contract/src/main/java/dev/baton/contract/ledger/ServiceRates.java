package dev.baton.contract.ledger;

/**
 * What a device is taken to do per second (§0x02B).
 *
 * @param flopsPerSecond C
 * @param stateBytesPerSecond R
 */
public record ServiceRates(double flopsPerSecond, double stateBytesPerSecond) {
    public ServiceRates {
        if (!(flopsPerSecond > 0) || !(stateBytesPerSecond > 0)) {
            throw new IllegalArgumentException("service rates must be positive, found " + flopsPerSecond
                    + " FLOP/s and " + stateBytesPerSecond + " B/s");
        }
    }

    /** FLOPs per state byte at which both sides bound the time alike. */
    public double ridge() {
        return flopsPerSecond / stateBytesPerSecond;
    }
}
