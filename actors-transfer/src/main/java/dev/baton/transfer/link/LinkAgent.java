package dev.baton.transfer.link;

import dev.baton.contract.identity.TransferId;
import dev.baton.transfer.link.LinkFailure.Kind;
import io.aeron.Aeron;
import io.aeron.Subscription;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.aeron.exceptions.DriverTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a data plane: commands, media driver, client conductor, receivers, senders, in turn. It alone touches Aeron
 * and K/V memory, which is what makes {@code forget} and {@code cancel} exact.
 */
final class LinkAgent implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkAgent.class);
    /** Fragments taken from one subscription in one turn: a mebibyte of the largest. */
    private static final int FRAGMENTS_PER_TURN = 16;
    /** The driver counts bytes moved and timers alike; timers and lone status messages must not keep an idle node awake. */
    private static final int HOUSEKEEPING_WORK = 64;

    private final MediaDriverHost driver;
    private final Aeron aeron;
    private final AgentCommands commands;
    private final ChunkReceiver receiver;
    private final List<Subscription> subscriptions;
    private final LinkMonitor monitor;
    private final AgentIdle idle;
    private final List<AeronLink> links = new ArrayList<>();
    private volatile boolean isStopping;
    private @Nullable LinkFailure failure;

    LinkAgent(
            MediaDriverHost driver,
            Aeron aeron,
            AgentCommands commands,
            ChunkReceiver receiver,
            List<Subscription> subscriptions,
            LinkMonitor monitor,
            AgentIdle idle) {
        this.driver = driver;
        this.aeron = aeron;
        this.commands = commands;
        this.receiver = receiver;
        this.subscriptions = subscriptions;
        this.monitor = monitor;
        this.idle = idle;
    }

    void stop() {
        isStopping = true;
        commands.wake();
    }

    @Override
    public void run() {
        @Nullable AgentInvoker driverInvoker = driver.invoker().orElse(null);
        AgentInvoker clientInvoker = aeron.conductorAgentInvoker();
        while (!isStopping) {
            int work;
            try {
                work = turn(driverInvoker, clientInvoker);
            } catch (Exception e) {
                work = 0;
                onError(e);
                if (failure == null && aeron.isClosed()) {
                    fail(e);
                }
            }
            if (work > 0) {
                idle.worked();
            } else {
                long parkNs = idle.nextParkNs(anyWaits(), receiver.isExpecting());
                if (parkNs > 0) {
                    commands.parkUnlessAsked(idle, parkNs);
                }
            }
        }
        shutDown();
    }

    private int turn(@Nullable AgentInvoker driverInvoker, AgentInvoker clientInvoker) {
        int work = commands.drain();
        if (driverInvoker != null) {
            int driverWork = driverInvoker.invoke();
            work += driverWork > HOUSEKEEPING_WORK ? driverWork : 0;
        }
        if (failure != null) {
            return work;
        }
        clientInvoker.invoke();
        if (aeron.isClosed()) {
            fail(new IllegalStateException("the Aeron client closed itself"));
            return work;
        }
        for (int i = 0; i < subscriptions.size(); i++) {
            work += subscriptions.get(i).poll(receiver, FRAGMENTS_PER_TURN);
        }
        long nowNs = System.nanoTime();
        for (int i = links.size() - 1; i >= 0; i--) {
            AeronLink link = links.get(i);
            work += link.poll(aeron, nowNs);
            if (link.isOver()) {
                links.remove(i);
            }
        }
        return work;
    }

    private boolean anyWaits() {
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i).hasPending()) {
                return true;
            }
        }
        return false;
    }

    void onError(Throwable error) {
        if (error instanceof DriverTimeoutException || error instanceof ConductorServiceTimeoutException) {
            fail(error);
        } else {
            LOG.warn("data plane error, carried on", error);
        }
    }

    private void fail(Throwable cause) {
        if (failure != null) {
            return;
        }
        LinkFailure lost =
                new LinkFailure(Kind.DRIVER_LOST, "media driver or client stopped: " + cause.getMessage(), cause);
        failure = lost;
        LOG.error("data plane failed, links={}", links.size(), lost);
        endAll(lost);
        try {
            monitor.failed(lost);
        } catch (RuntimeException e) {
            LOG.error("the link monitor threw", e);
        }
    }

    private void endAll(LinkFailure why) {
        links.forEach(link -> link.fail(why));
        links.clear();
        receiver.forgetAll();
    }

    private void shutDown() {
        LinkFailure closed = new LinkFailure(Kind.CLOSED, "the data plane was closed");
        try {
            commands.drain();
            endAll(closed);
        } catch (RuntimeException e) {
            onError(e);
        }
        failure = closed;
        // The client first: the driver's invoker must still answer it. Each close may fail alone, all are tried.
        CloseHelper.close(this::onError, aeron);
        CloseHelper.close(this::onError, driver);
        commands.end();
    }

    void register(AeronLink link) {
        if (failure != null) {
            link.fail(failure);
        } else {
            links.add(link);
        }
    }

    void expect(ExpectedTransfer transfer, ChunkListener listener, CompletableFuture<Void> done) {
        if (failure != null) {
            done.completeExceptionally(failure);
        } else if (receiver.expect(transfer, listener)) {
            done.complete(null);
        } else {
            done.completeExceptionally(
                    new IllegalStateException("transfer " + transfer.transferId() + " is already expected"));
        }
    }

    void forget(TransferId transfer, CompletableFuture<Void> done) {
        receiver.forget(transfer);
        done.complete(null);
    }
}
