package dev.baton.transfer.link;

/**
 * Where a node's data plane can be reached; travels in control messages.
 *
 * @param driverId names one media driver process; equal ids mean that both sides share it and IPC works
 * @param udpHost host to which peers send
 * @param udpPort port as bound, never 0
 * @param streamId stream of this endpoint, unique on a shared driver
 * @param linkEpoch incarnation of this data plane: a restarted receiver has another and refuses messages meant for the old one
 */
public record DataEndpoint(String driverId, String udpHost, int udpPort, int streamId, long linkEpoch) {

    public DataEndpoint {
        if (driverId.isEmpty() || udpHost.isEmpty()) {
            throw new IllegalArgumentException("data endpoint needs a driver id and a host");
        }
        if (udpPort <= 0 || udpPort > 0xffff) {
            throw new IllegalArgumentException("data endpoint needs the bound UDP port, found " + udpPort);
        }
    }

    /** Which path a source whose media driver is {@code sourceDriverId} takes to here. */
    public LinkPath choose(String sourceDriverId) {
        return driverId.equals(sourceDriverId) ? LinkPath.IPC : LinkPath.UDP;
    }

    /** The Aeron channel of {@code path} to here. */
    public String uri(LinkPath path) {
        return switch (path) {
            case IPC -> "aeron:ipc";
            case UDP -> "aeron:udp?endpoint=" + hostForUri(udpHost) + ':' + udpPort;
        };
    }

    static String hostForUri(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? '[' + host + ']' : host;
    }
}
