package dev.baton.transfer.link;

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.MappedByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.agrona.ErrorHandler;
import org.agrona.IoUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The media driver of one node: its own, run by the agent thread (INVOKER: on few cores no other mode comes near), or somebody
 * else's directory. An own directory is named by node and process, and removed at close; those of killed processes of the same
 * node are removed at start.
 */
final class MediaDriverHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MediaDriverHost.class);
    private static final String PREFIX = "baton-link-";
    private static final long SECOND_NS = 1_000_000_000L;

    private final String directory;
    private final int windowBytes;
    private final @Nullable MediaDriver driver;

    private MediaDriverHost(String directory, int windowBytes, @Nullable MediaDriver driver) {
        this.directory = directory;
        this.windowBytes = windowBytes;
        this.driver = driver;
    }

    static MediaDriverHost start(LinkConfig config, ErrorHandler errors) {
        int windowBytes = windowThatTheKernelGrants(config);
        if (config.sharedDriverDirectory().isPresent()) {
            return new MediaDriverHost(config.sharedDriverDirectory().get().toString(), windowBytes, null);
        }
        Path parent = parentDirectory();
        removeAbandoned(parent, config.nodeName());
        String directory = parent.resolve(directoryPrefix(config.nodeName())
                        + ProcessHandle.current().pid()
                        + '-'
                        + Long.toHexString(System.nanoTime()))
                .toString();
        long clientNs = config.driverTimeout().toNanos();
        MediaDriver driver = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(directory)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .errorHandler(errors)
                .publicationTermBufferLength(config.termBufferBytes())
                .ipcTermBufferLength(config.termBufferBytes())
                .mtuLength(config.mtuBytes())
                .ipcMtuLength(config.mtuBytes())
                .initialWindowLength(windowBytes)
                .socketRcvbufLength(windowBytes)
                .socketSndbufLength(windowBytes)
                .imageLivenessTimeoutNs(config.peerTimeout().toNanos())
                .publicationConnectionTimeoutNs(config.peerTimeout().toNanos())
                .publicationLingerTimeoutNs(SECOND_NS)
                .clientLivenessTimeoutNs(clientNs)
                .publicationUnblockTimeoutNs(clientNs + 5 * SECOND_NS)
                .driverTimeoutMs(config.driverTimeout().toMillis()));
        return new MediaDriverHost(directory, windowBytes, driver);
    }

    String directory() {
        return directory;
    }

    /** The configured window, or less where the kernel's {@code rmem_max} is smaller. */
    int windowBytes() {
        return windowBytes;
    }

    /** What the agent must call in every turn; absent when another process drives. */
    Optional<AgentInvoker> invoker() {
        return Optional.ofNullable(driver).map(MediaDriver::sharedAgentInvoker);
    }

    Aeron.Context clientContext(LinkConfig config, ErrorHandler errors) {
        Aeron.Context context = new Aeron.Context()
                .aeronDirectoryName(directory)
                .useConductorAgentInvoker(true)
                .driverTimeoutMs(config.driverTimeout().toMillis())
                .errorHandler(errors)
                .subscriberErrorHandler(errors);
        invoker().ifPresent(context::driverAgentInvoker);
        return context;
    }

    /** Equal in two processes exactly if they use one driver process: host boot, driver process, its start. */
    String driverId() {
        MappedByteBuffer cnc =
                IoUtil.mapExistingFile(new File(directory, CncFileDescriptor.CNC_FILE), "driver identity");
        try {
            UnsafeBuffer metaData = CncFileDescriptor.createMetaDataBuffer(cnc);
            return bootId()
                    + '-'
                    + CncFileDescriptor.pid(metaData)
                    + '-'
                    + CncFileDescriptor.startTimestampMs(metaData)
                    + '-'
                    + Integer.toHexString(directory.hashCode());
        } finally {
            IoUtil.unmap(cnc);
        }
    }

    @Override
    public void close() {
        if (driver != null) {
            driver.close();
        }
    }

    private static String bootId() {
        Path bootId = Path.of("/proc/sys/kernel/random/boot_id");
        try {
            return Files.isReadable(bootId)
                    ? Files.readString(bootId).strip()
                    : java.net.InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            throw new UncheckedIOException("the name of this host can't be read", e);
        }
    }

    private static Path parentDirectory() {
        Path shm = Path.of("/dev/shm");
        return Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static String directoryPrefix(String nodeName) {
        return PREFIX + nodeName + '-';
    }

    /** See {@link AeronDataPlane#removeAbandoned}. */
    static void removeAbandoned(String nodeName) {
        removeAbandoned(parentDirectory(), nodeName);
    }

    /** A killed process leaves 100 MiB and more of /dev/shm behind; its next start cleans up. A paused one is left alone. */
    private static void removeAbandoned(Path parent, String nodeName) {
        String prefix = directoryPrefix(nodeName);
        try (Stream<Path> children = Files.list(parent)) {
            children.filter(p -> p.getFileName().toString().startsWith(prefix))
                    .filter(p -> isAbandoned(p, prefix))
                    .forEach(p -> IoUtil.delete(p.toFile(), true));
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("abandoned driver directories of node={} could not be removed: {}", nodeName, e.toString());
        }
    }

    private static boolean isAbandoned(Path directory, String prefix) {
        String[] parts =
                directory.getFileName().toString().substring(prefix.length()).split("-", -1);
        if (parts.length != 2 || !parts[0].matches("\\d{1,10}")) {
            return false;
        }
        return ProcessHandle.of(Long.parseLong(parts[0])).isEmpty()
                && !CommonContext.isDriverActive(directory.toFile(), 1_000, message -> {});
    }

    private static int windowThatTheKernelGrants(LinkConfig config) {
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_RCVBUF, config.windowBytes());
            probe.setOption(StandardSocketOptions.SO_SNDBUF, config.windowBytes());
            int granted = Math.min(
                    probe.getOption(StandardSocketOptions.SO_RCVBUF), probe.getOption(StandardSocketOptions.SO_SNDBUF));
            if (granted >= config.windowBytes()) {
                return config.windowBytes();
            }
            LOG.warn(
                    "window_bytes={} wanted={} the kernel grants less: raise net.core.rmem_max and wmem_max",
                    granted,
                    config.windowBytes());
            if (granted < config.mtuBytes()) {
                throw new IllegalArgumentException("the kernel grants socket buffers of " + granted
                        + " bytes, less than one datagram of " + config.mtuBytes()
                        + ": raise net.core.rmem_max and wmem_max, or lower the MTU");
            }
            return granted;
        } catch (IOException e) {
            throw new UncheckedIOException("no UDP socket can be opened", e);
        }
    }
}
