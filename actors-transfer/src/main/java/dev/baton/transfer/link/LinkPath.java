package dev.baton.transfer.link;

/** How bytes travel: through shared memory of one media driver, or as datagrams between two. */
public enum LinkPath {
    IPC,
    UDP
}
