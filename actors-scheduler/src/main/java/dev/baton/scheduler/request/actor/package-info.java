/**
 * The shell of a request: a sharded, event-sourced actor. It turns messages into events of the machine, journals what the
 * machine adopts, and runs effects only after that. Replay decides again over the same events, so state, output and trace
 * come back as they were; effects are not repeated, and a request found unfinished is continued under a new generation.
 */
@NullMarked
package dev.baton.scheduler.request.actor;

import org.jspecify.annotations.NullMarked;
