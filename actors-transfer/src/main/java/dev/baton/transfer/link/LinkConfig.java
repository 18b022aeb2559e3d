package dev.baton.transfer.link;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Numbers of the data plane; defaults in {@link #forNode}, measured by {@code LinkBench}.
 *
 * @param nodeName goes into the driver directory's name
 * @param sharedDriverDirectory an external media driver's directory; empty starts one in this process
 * @param bindHost address to bind and to advertise
 * @param udpPort 0 takes a free one
 * @param termBufferBytes power of two; largest message is an eighth of it. /dev/shm: 3 x term per publication, again per UDP image
 * @param mtuBytes datagram and fragment size, a multiple of 32, at most 65504 (loopback, jumbo networks: 8 KiB)
 * @param windowBytes receiver window of a UDP image, at most half a term; also the socket buffers
 * @param connectTimeout from the first offer until a peer must be there
 * @param offerTimeout how long a connected peer may take nothing
 * @param idleClose a publication without chunks for so long is closed and reopened when needed
 * @param peerTimeout silence after which Aeron takes a peer for gone (image liveness, publication connection)
 * @param driverTimeout silence after which a client takes its driver for dead and the reverse; longer than any pause that this process should survive
 * @param maxIdlePark longest sleep of an agent that expects a transfer: bounds the latency of the first chunk; one that expects nothing sleeps ten times as long
 */
public record LinkConfig(
        String nodeName,
        Optional<Path> sharedDriverDirectory,
        String bindHost,
        int udpPort,
        int termBufferBytes,
        int mtuBytes,
        int windowBytes,
        Duration connectTimeout,
        Duration offerTimeout,
        Duration idleClose,
        Duration peerTimeout,
        Duration driverTimeout,
        Duration maxIdlePark) {

    private static final int MIB = 1 << 20;
    private static final int MIN_TERM_BYTES = 64 * 1024;
    private static final int MAX_MESSAGE_BYTES = 16 * MIB;
    private static final int MAX_MTU_BYTES = 65504;

    public LinkConfig {
        require(
                nodeName.matches("[A-Za-z0-9._-]{1,64}"),
                "nodeName must be 1 to 64 of A-Z a-z 0-9 . _ -, found '" + nodeName + "'");
        require(
                Integer.bitCount(termBufferBytes) == 1
                        && termBufferBytes >= MIN_TERM_BYTES
                        && termBufferBytes <= 1 << 30,
                "termBufferBytes must be a power of two of 64 KiB to 1 GiB, found " + termBufferBytes);
        require(
                mtuBytes % 32 == 0 && mtuBytes >= 1408 && mtuBytes <= MAX_MTU_BYTES && mtuBytes <= termBufferBytes / 8,
                "mtuBytes must be a multiple of 32 of 1408 to 65504, at most an eighth of the term, found " + mtuBytes);
        require(
                windowBytes >= mtuBytes && windowBytes <= termBufferBytes / 2,
                "windowBytes must hold one datagram and at most half a term, found " + windowBytes);
        require(udpPort >= 0 && udpPort <= 0xffff, "udpPort must be 0 to 65535, found " + udpPort);
        for (Duration d :
                new Duration[] {connectTimeout, offerTimeout, idleClose, peerTimeout, driverTimeout, maxIdlePark}) {
            require(d.isPositive(), "every duration must be positive, found " + d);
        }
        require(
                driverTimeout.compareTo(peerTimeout) >= 0,
                "driverTimeout " + driverTimeout + " must not be shorter than peerTimeout " + peerTimeout);
    }

    /** An embedded driver on loopback with the measured defaults. */
    public static LinkConfig forNode(String nodeName) {
        return new LinkConfig(
                nodeName,
                Optional.empty(),
                "127.0.0.1",
                0,
                16 * MIB,
                MAX_MTU_BYTES,
                4 * MIB,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofMillis(1));
    }

    public LinkConfig withSharedDriver(Path directory) {
        return new LinkConfig(
                nodeName,
                Optional.of(directory),
                bindHost,
                udpPort,
                termBufferBytes,
                mtuBytes,
                windowBytes,
                connectTimeout,
                offerTimeout,
                idleClose,
                peerTimeout,
                driverTimeout,
                maxIdlePark);
    }

    public LinkConfig withUdp(String host, int port) {
        return new LinkConfig(
                nodeName,
                sharedDriverDirectory,
                host,
                port,
                termBufferBytes,
                mtuBytes,
                windowBytes,
                connectTimeout,
                offerTimeout,
                idleClose,
                peerTimeout,
                driverTimeout,
                maxIdlePark);
    }

    /** Buffers: see {@link #termBufferBytes}, {@link #mtuBytes}, {@link #windowBytes}. */
    public LinkConfig withBuffers(int termBytes, int mtu, int window) {
        return new LinkConfig(
                nodeName,
                sharedDriverDirectory,
                bindHost,
                udpPort,
                termBytes,
                mtu,
                window,
                connectTimeout,
                offerTimeout,
                idleClose,
                peerTimeout,
                driverTimeout,
                maxIdlePark);
    }

    /** Deadlines: see the components of the same name. */
    public LinkConfig withDeadlines(Duration connect, Duration offer, Duration idle, Duration peer) {
        return new LinkConfig(
                nodeName,
                sharedDriverDirectory,
                bindHost,
                udpPort,
                termBufferBytes,
                mtuBytes,
                windowBytes,
                connect,
                offer,
                idle,
                peer,
                driverTimeout.compareTo(peer) < 0 ? peer : driverTimeout,
                maxIdlePark);
    }

    /** Header and payload of the largest chunk: an eighth of a term, at most 16 MiB. */
    public int maxMessageBytes() {
        return Math.min(termBufferBytes / 8, MAX_MESSAGE_BYTES);
    }

    public long maxChunkPayloadBytes() {
        return (long) maxMessageBytes() - ChunkHeader.HEADER_BYTES;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("LinkConfig." + message);
        }
    }
}
