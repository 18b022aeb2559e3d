/**
 * The cluster-level scheduler: one sharded entity per served model. It lives on worker reports and cluster membership, keeps
 * nothing durable, grants each request a prefill and a decode worker bound together, and forgets a binding when the request
 * ends. Its snapshots may be stale; the worker checks every admission again.
 */
@NullMarked
package dev.baton.scheduler.cls;

import org.jspecify.annotations.NullMarked;
