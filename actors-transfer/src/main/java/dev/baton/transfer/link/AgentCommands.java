package dev.baton.transfer.link;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What other threads ask of the agent, in order. A command is never lost: after the agent has ended, whoever submits runs it, so that
 * a wait for quiescence always ends.
 */
final class AgentCommands {
    private final ManyToOneConcurrentLinkedQueue<Runnable> queue = new ManyToOneConcurrentLinkedQueue<>();
    private final Object endLock = new Object();
    private volatile @Nullable Thread agent;
    private volatile boolean isParked;
    private volatile boolean isEnded;

    void submit(Runnable command) {
        queue.add(command);
        if (isEnded) {
            drainAfterEnd();
        } else if (isParked) {
            wake();
        }
    }

    void wake() {
        LockSupport.unpark(agent);
    }

    /** The agent takes over; only it drains from now on. */
    void agentIs(Thread thread) {
        agent = thread;
    }

    int drain() {
        int count = 0;
        Runnable command;
        while ((command = queue.poll()) != null) {
            command.run();
            count++;
        }
        return count;
    }

    /** Sleeps unless a command came in; a command that comes later wakes the agent. */
    void parkUnlessAsked(AgentIdle idle, long nanos) {
        isParked = true;
        if (queue.isEmpty()) {
            idle.park(nanos);
        }
        isParked = false;
    }

    /** The agent's last act. */
    void end() {
        isEnded = true;
        drainAfterEnd();
    }

    private void drainAfterEnd() {
        synchronized (endLock) {
            drain();
        }
    }
}
