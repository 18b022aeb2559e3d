/**
 * What a worker process is told and what it tells. One worker has one device, one K/V arena, one machine-level scheduler, and
 * plays a role under a role epoch. Prefill and decode legs are addressed apart, so one process can play both.
 */
@NullMarked
package dev.baton.scheduler.worker;

import org.jspecify.annotations.NullMarked;
