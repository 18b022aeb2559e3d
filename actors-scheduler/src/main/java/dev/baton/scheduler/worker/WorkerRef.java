package dev.baton.scheduler.worker;

import dev.baton.contract.identity.RoleEpoch;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.identity.WorkerId;
import org.apache.pekko.actor.typed.ActorRef;

/** How to reach one incarnation of a worker. */
public record WorkerRef(
        WorkerId worker,
        WorkerEpoch epoch,
        RoleEpoch roleEpoch,
        ActorRef<PrefillProtocol.Command> prefill,
        ActorRef<DecodeProtocol.Command> decode) {}
