package dev.baton.transfer.link;

/** What concerns the whole data plane rather than one transfer. Called on the agent thread: hand over and return. */
public interface LinkMonitor {

    /** A message that no expected transfer owns was refused. */
    void refused(LinkRefusal reason);

    /**
     * The data plane is dead: its driver is lost. Every stage and link of it has failed. The owner closes it and starts
     * another, whose endpoint has a new link epoch.
     */
    void failed(LinkFailure failure);

    /** For tests and tools that look at counters instead. */
    static LinkMonitor silent() {
        return new LinkMonitor() {
            @Override
            public void refused(LinkRefusal reason) {}

            @Override
            public void failed(LinkFailure failure) {}
        };
    }
}
