package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import io.aeron.Aeron;
import io.aeron.Subscription;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data plane over Aeron: starts the media driver, both subscriptions and the agent thread, and takes them down again. */
public final class AeronDataPlane implements DataPlane {
    private static final Logger LOG = LoggerFactory.getLogger(AeronDataPlane.class);
    private static final long PORT_DEADLINE_NS = 5_000_000_000L;

    private final LinkConfig config;
    private final MediaDriverHost driver;
    private final DataEndpoint endpoint;
    private final AgentCommands commands;
    private final LinkMeters meters;
    private final LinkAgent agent;
    private final Thread thread;

    private AeronDataPlane(
            LinkConfig config,
            MediaDriverHost driver,
            DataEndpoint endpoint,
            AgentCommands commands,
            LinkMeters meters,
            LinkAgent agent) {
        this.config = config;
        this.driver = driver;
        this.endpoint = endpoint;
        this.commands = commands;
        this.meters = meters;
        this.agent = agent;
        this.thread = Thread.ofPlatform()
                .name("baton-link-" + config.nodeName())
                .daemon()
                .unstarted(agent);
        commands.agentIs(thread);
    }

    /**
     * Removes what killed processes of this node name left in shared memory. A process that still runs keeps its own; failures
     * are logged, because the next start of the node tries again.
     */
    public static void removeAbandoned(String nodeName) {
        MediaDriverHost.removeAbandoned(nodeName);
    }

    /**
     * Starts a data plane; blocks until its port is bound.
     *
     * @throws LinkFailure when the driver or a channel can't be had
     */
    public static AeronDataPlane start(LinkConfig config, LinkMonitor monitor) {
        ErrorRelay errors = new ErrorRelay();
        MediaDriverHost driver = startDriver(config, errors);
        try {
            Aeron aeron = Aeron.connect(driver.clientContext(config, errors));
            try {
                return start(config, monitor, errors, driver, aeron);
            } catch (RuntimeException e) {
                CloseHelper.quietClose(aeron);
                throw e;
            }
        } catch (RuntimeException e) {
            CloseHelper.quietClose(driver);
            throw e instanceof LinkFailure known
                    ? known
                    : new LinkFailure(
                            LinkFailure.Kind.REGISTRATION, "the data plane can't start: " + e.getMessage(), e);
        }
    }

    private static MediaDriverHost startDriver(LinkConfig config, ErrorHandler errors) {
        try {
            return MediaDriverHost.start(config, errors);
        } catch (RuntimeException e) {
            throw new LinkFailure(LinkFailure.Kind.DRIVER_LOST, "the media driver can't start: " + e.getMessage(), e);
        }
    }

    private static AeronDataPlane start(
            LinkConfig config, LinkMonitor monitor, ErrorRelay errors, MediaDriverHost driver, Aeron aeron) {
        // Random, not a clock: two starts in one millisecond differ, and a clock that steps back can't repeat one.
        SecureRandom random = new SecureRandom();
        long linkEpoch = random.nextLong(Long.MAX_VALUE);
        int streamId = 1 + random.nextInt(Integer.MAX_VALUE - 1);
        LinkMeters meters = new LinkMeters();
        ChunkReceiver receiver = new ChunkReceiver(linkEpoch, meters, monitor);
        Subscription ipc = aeron.addSubscription("aeron:ipc", streamId, image -> {}, receiver::imageGone);
        Subscription udp = aeron.addSubscription(
                "aeron:udp?endpoint=" + DataEndpoint.hostForUri(config.bindHost()) + ':' + config.udpPort()
                        + "|rcv-wnd=" + driver.windowBytes() + "|so-rcvbuf=" + driver.windowBytes(),
                streamId,
                image -> {},
                receiver::imageGone);
        DataEndpoint endpoint =
                new DataEndpoint(driver.driverId(), config.bindHost(), boundPort(aeron, udp), streamId, linkEpoch);
        AgentCommands commands = new AgentCommands();
        LinkAgent agent = new LinkAgent(
                driver,
                aeron,
                commands,
                receiver,
                List.of(ipc, udp),
                monitor,
                new AgentIdle(config.maxIdlePark().toNanos()));
        errors.target = agent::onError;
        AeronDataPlane plane = new AeronDataPlane(config, driver, endpoint, commands, meters, agent);
        plane.thread.start();
        return plane;
    }

    private static int boundPort(Aeron aeron, Subscription udp) {
        long deadlineNs = System.nanoTime() + PORT_DEADLINE_NS;
        while (System.nanoTime() - deadlineNs < 0) {
            aeron.conductorAgentInvoker().invoke();
            if (aeron.context().driverAgentInvoker() != null) {
                aeron.context().driverAgentInvoker().invoke();
            }
            String resolved = udp.resolvedEndpoint();
            if (resolved != null) {
                return Integer.parseInt(resolved.substring(resolved.lastIndexOf(':') + 1));
            }
            Thread.onSpinWait();
        }
        throw new LinkFailure(
                LinkFailure.Kind.REGISTRATION, "the driver did not bind " + udp.channel() + " within 5 s");
    }

    @Override
    public DataEndpoint endpoint() {
        return endpoint;
    }

    /** Where another process on this host attaches with {@link LinkConfig#withSharedDriver}. */
    public Path driverDirectory() {
        return Path.of(driver.directory());
    }

    @Override
    public long maxChunkPayloadBytes() {
        return config.maxChunkPayloadBytes();
    }

    @Override
    public CompletionStage<Void> expect(ExpectedTransfer transfer, ChunkListener listener) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        commands.submit(() -> agent.expect(transfer, listener, done));
        return done.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> forget(TransferId transfer) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        commands.submit(() -> agent.forget(transfer, done));
        return done.minimalCompletionStage();
    }

    @Override
    public LinkSender link(WorkerEpoch sourceEpoch, DataEndpoint destination, WorkerEpoch destinationEpoch) {
        AeronLink link = new AeronLink(
                commands,
                config,
                meters,
                sourceEpoch,
                destination,
                destinationEpoch,
                destination.choose(endpoint.driverId()));
        commands.submit(() -> agent.register(link));
        return link;
    }

    @Override
    public LinkCounters counters() {
        return meters.sample();
    }

    @Override
    public void close() {
        agent.stop();
        if (Thread.currentThread() == thread) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Aeron wants its error handler before the agent exists. */
    private static final class ErrorRelay implements ErrorHandler {
        private volatile ErrorHandler target = e -> LOG.warn("data plane error while starting", e);

        @Override
        public void onError(Throwable error) {
            target.onError(error);
        }
    }
}
