package dev.baton.prefill.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.TransferId;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.SentChunk;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;

/** What loop, link and timer tell the prefill actor. */
sealed interface Signal extends PrefillProtocol.Internal {

    record LayerReady(Fence fence, int layer, int tokensReady, long atNanos) implements Signal {}

    record FirstTokensSampled(Fence fence, List<Integer> tokens, long atNanos) implements Signal {
        public FirstTokensSampled {
            tokens = List.copyOf(tokens);
        }
    }

    record Unsamplable(Fence fence, String field) implements Signal {}

    /** The loop does not touch the prompt's blocks any more. */
    record PromptLeftLoop(Fence fence) implements Signal {}

    record LoopBroke(Fence fence, String bug) implements Signal {}

    record ChunkLeft(SentChunk chunk) implements Signal {}

    record ChunkLost(TransferId transfer, int index, LinkFailure failure) implements Signal {}

    /** The link epoch is over. */
    record LinkFailed(ChunkOutlet outlet, LinkFailure failure) implements Signal {}

    /** The link reads no block of the transfer any more. */
    record LinkQuiesced(Fence fence) implements Signal {}

    record Tick() implements Signal {}

    record Read(ActorRef<PrefillActor.Load> replyTo) implements Signal {}
}
