/**
 * One request is one owner. The request entity is created by the first {@code Submit}, journals every adopted event, asks the
 * cluster-level scheduler for a pair of workers, binds them, receives tokens by index, applies stop rules, and ends in
 * FINISHED, CANCELLED or FAILED with both legs released. Workers execute; they never decide what the client sees. A failed
 * leg raises the generation and continues from prompt plus tokens already given. Clients pull output by sequence number, so
 * a slow client holds nothing but its own position.
 */
@NullMarked
package dev.baton.scheduler.request;

import org.jspecify.annotations.NullMarked;
