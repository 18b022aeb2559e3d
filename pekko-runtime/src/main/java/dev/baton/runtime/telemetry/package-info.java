/**
 * Numbers for operators. One {@link dev.baton.runtime.telemetry.Metrics} lives in each node; whoever sees something happen
 * tells it, and {@code /metrics} reads it. Labels are roles, machines, reasons and worker names, never anything a client
 * wrote, so their number is bounded.
 */
@NullMarked
package dev.baton.runtime.telemetry;

import org.jspecify.annotations.NullMarked;
