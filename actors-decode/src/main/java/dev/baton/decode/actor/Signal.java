package dev.baton.decode.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.transfer.link.LinkRefusal;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.jspecify.annotations.Nullable;

/** What loop, link and timer tell the decode actor. */
sealed interface Signal extends DecodeProtocol.Internal {

    /** The link knows the transfer, or why not. */
    record ChunksExpected(Fence fence, @Nullable String failure) implements Signal {}

    record ChunkArrived(Fence fence, int index, long payloadBytes, int crc, long atNanos) implements Signal {}

    record ChunkRepeated(Fence fence, int index, int crc, boolean sameBytes) implements Signal {}

    record ChunkRefused(Fence fence, int index, LinkRefusal reason) implements Signal {}

    /** The link writes no block of the transfer any more. */
    record LinkQuiesced(Fence fence) implements Signal {}

    record CreditsDue(Fence fence) implements Signal {}

    record PromptComputed(Fence fence, List<Integer> firstTokens, long atNanos) implements Signal {
        public PromptComputed {
            firstTokens = List.copyOf(firstTokens);
        }
    }

    record PromptLeftLoop(Fence fence) implements Signal {}

    record TokenSampled(Fence fence, int choice, int index, int token) implements Signal {}

    record SequenceLeft(Fence fence, int choice) implements Signal {}

    record Unsamplable(Fence fence, String field) implements Signal {}

    record LoopBroke(Fence fence, String bug) implements Signal {}

    record Tick() implements Signal {}

    record Read(ActorRef<DecodeActor.Load> replyTo) implements Signal {}
}
