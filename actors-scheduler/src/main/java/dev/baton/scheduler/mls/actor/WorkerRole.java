package dev.baton.scheduler.mls.actor;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.scheduler.worker.Role;

/** What the worker plays now, and since which change of role. */
public record WorkerRole(Role role, RoleEpoch epoch) {}
