package dev.baton.prefill.actor;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TransferId;
import dev.baton.contract.identity.WorkerEpoch;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.prefill.PrefillAdmission;
import dev.baton.scheduler.kv.KvReservation;
import dev.baton.scheduler.mls.actor.EndedLegs;
import dev.baton.scheduler.mls.actor.LegTokens;
import dev.baton.scheduler.mls.actor.WorkerContext;
import dev.baton.scheduler.request.Leg;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.PrefillProtocol.Command;
import dev.baton.transfer.link.DataEndpoint;
import dev.baton.transfer.link.LinkFailure;
import dev.baton.transfer.link.SentChunk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;

/** The prefill side of one worker: admits legs, routes what is said to them, keeps their deadlines. */
public final class PrefillActor {

    /**
     * What the actor holds.
     *
     * @param legs legs that have not ended
     * @param inflightCreditBytes credit out over all destinations
     */
    public record Load(int legs, long inflightCreditBytes) {}

    private record Destination(DataEndpoint endpoint, WorkerEpoch epoch) {}

    private final WorkerContext context;
    private final ActorContext<Command> actor;
    private final Map<Fence, PrefillLeg> legs = new LinkedHashMap<>();
    private final EndedLegs<Boolean> ended;
    private final Map<Destination, ChunkOutlet> outlets = new HashMap<>();

    private PrefillActor(WorkerContext context, ActorContext<Command> actor, TimerScheduler<Command> timers) {
        this.context = context;
        this.actor = actor;
        this.ended = new EndedLegs<>(context.config().rememberedFences());
        timers.startTimerWithFixedDelay(new Signal.Tick(), context.config().tick());
    }

    /** One per worker, spawned by its owner. */
    public static Behavior<Command> create(WorkerContext context) {
        return Behaviors.setup(actor -> Behaviors.withTimers(timers -> {
            PrefillActor prefill = new PrefillActor(context, actor, timers);
            return Behaviors.receive(Command.class)
                    .onAnyMessage(prefill::onMessage)
                    .onSignal(PostStop.class, stopped -> prefill.onStop())
                    .build();
        }));
    }

    /** Asks for what the actor holds: tests and reports. */
    public static Command read(ActorRef<Load> replyTo) {
        return new Signal.Read(replyTo);
    }

    private Behavior<Command> onMessage(Command message) {
        switch (message) {
            case PrefillProtocol.StartPrefill start -> start(start);
            case PrefillProtocol.CancelPrefill(Fence fence, String cause) ->
                route(fence, "CancelPrefill", leg -> leg.cancelled(cause, fence));
            case PrefillProtocol.ChunksVisible visible ->
                route(visible.message().fence(), "ChunksVisible", leg -> leg.chunksVisible(visible.message()));
            case PrefillProtocol.PublicationAcknowledged acknowledged ->
                route(
                        acknowledged.message().fence(),
                        "PublicationAcknowledged",
                        leg -> leg.acknowledged(acknowledged.message()));
            case PrefillProtocol.DestinationAborted aborted ->
                route(
                        aborted.message().fence(),
                        "DestinationAborted",
                        leg -> leg.destinationAborted(aborted.message()));
            case PrefillProtocol.StagingReleased released ->
                route(
                        released.message().fence(),
                        "StagingReleased",
                        leg -> leg.stagingReleased(released.message().fence()));
            case PrefillProtocol.PeerLost(WorkerEpoch epoch) -> peerLost(epoch);
            case Signal signal -> onSignal(signal);
            case PrefillProtocol.Internal other ->
                throw new IllegalStateException("no such internal message: " + other.getClass());
        }
        return Behaviors.same();
    }

    private void onSignal(Signal signal) {
        switch (signal) {
            case Signal.LayerReady ready -> own(ready.fence(), leg -> leg.layerReady(ready));
            case Signal.FirstTokensSampled first -> own(first.fence(), leg -> leg.firstTokens(first));
            case Signal.Unsamplable(Fence fence, String field) ->
                own(fence, leg -> leg.failed("no token to choose: " + field));
            case Signal.PromptLeftLoop(Fence fence) -> own(fence, PrefillLeg::leftLoop);
            case Signal.LoopBroke(Fence fence, String bug) -> own(fence, leg -> leg.failed("worker fenced: " + bug));
            case Signal.ChunkLeft(SentChunk chunk) -> own(chunk.transferId(), leg -> leg.chunkLeft(chunk));
            case Signal.ChunkLost(TransferId transfer, int index, LinkFailure failure) ->
                own(transfer, leg -> leg.chunkLost(failure));
            case Signal.LinkFailed(ChunkOutlet outlet, LinkFailure failure) -> linkFailed(outlet, failure);
            case Signal.LinkQuiesced(Fence fence) -> own(fence, PrefillLeg::linkQuiesced);
            case Signal.Tick tick -> tick();
            case Signal.Read(ActorRef<Load> replyTo) ->
                replyTo.tell(new Load(
                        legs.size(),
                        outlets.values().stream()
                                .mapToLong(ChunkOutlet::inflightBytes)
                                .sum()));
        }
    }

    // ---- admission ----

    private void start(PrefillProtocol.StartPrefill start) {
        Fence fence = start.manifest().fence();
        if (legs.containsKey(fence)) {
            tell(fence, new RequestProtocol.PrefillAccepted(fence));
            return;
        }
        if (ended.find(fence).isPresent()) {
            context.metrics().stale("prefill", "StartPrefill");
            return;
        }
        Optional<LegRefusal> refusal = admit(start);
        if (refusal.isPresent()) {
            context.metrics().legRefused("prefill", refusal.get());
            tell(fence, new RequestProtocol.LegRefused(fence, Leg.PREFILL, refusal.get()));
        } else {
            tell(fence, new RequestProtocol.PrefillAccepted(fence));
        }
    }

    /** Takes the leg, or says why not; nothing is held in that case. */
    private Optional<LegRefusal> admit(PrefillProtocol.StartPrefill start) {
        HandoffManifest manifest = start.manifest();
        LegTokens tokens;
        try {
            tokens = LegTokens.of(start.spec());
        } catch (IllegalArgumentException e) {
            return Optional.of(LegRefusal.PROMPT_DIGEST_MISMATCH);
        }
        PrefillAdmission admission = new PrefillAdmission(
                context.worker(), context.epoch(), context.role().get(), context.identity(), context.abi());
        Optional<LegRefusal> difference = admission.refusal(manifest, start.roleEpoch(), tokens);
        if (difference.isPresent()) {
            return difference;
        }
        if (manifest.chunkPlan().largestPayloadBytes() > largestChunkBytes()) {
            return Optional.of(LegRefusal.CHUNK_TOO_LARGE);
        }
        if (supersededBy(manifest.fence())) {
            return Optional.of(LegRefusal.SUPERSEDED);
        }
        if (legs.size() >= context.config().maxPrefillLegs()) {
            return Optional.of(LegRefusal.QUEUE_FULL);
        }
        int blockCount = context.abi().blocksFor(tokens.count());
        if (blockCount > context.pool().totalBlocks()) {
            return Optional.of(LegRefusal.NEVER_FITS);
        }
        Optional<KvReservation> reservation =
                context.pool().reserve(manifest.placement().transfer(), blockCount);
        if (reservation.isEmpty()) {
            return Optional.of(LegRefusal.NO_KV_CAPACITY);
        }
        return begin(start, tokens, reservation.get());
    }

    private Optional<LegRefusal> begin(
            PrefillProtocol.StartPrefill start, LegTokens tokens, KvReservation reservation) {
        ChunkOutlet outlet = outlet(start);
        PrefillLeg leg = new PrefillLeg(context, start, tokens, reservation, outlet, actor.getSelf());
        if (!leg.begin()) {
            return Optional.of(LegRefusal.QUEUE_FULL);
        }
        legs.put(leg.fence(), leg);
        return Optional.empty();
    }

    /** Ends older legs of the same request; true when a newer one is here. */
    private boolean supersededBy(Fence fence) {
        for (PrefillLeg leg : ofRequest(fence.request())) {
            if (!leg.fence().tenant().equals(fence.tenant())) {
                continue;
            }
            int byGeneration = leg.fence().generation().compareTo(fence.generation());
            int age = byGeneration != 0 ? byGeneration : leg.fence().attempt().compareTo(fence.attempt());
            if (age > 0) {
                return true;
            }
            leg.cancelled("superseded", leg.fence());
        }
        return false;
    }

    private ChunkOutlet outlet(PrefillProtocol.StartPrefill start) {
        WorkerEpoch destinationEpoch = start.manifest().placement().destinationEpoch();
        return outlets.compute(new Destination(start.endpoint(), destinationEpoch), (destination, known) -> {
            if (known != null && !known.isClosed()) {
                return known;
            }
            return new ChunkOutlet(
                    actor.getSystem(),
                    destinationEpoch,
                    context.dataPlane().link(context.epoch(), start.endpoint(), destinationEpoch),
                    context.creditWindowBytes(),
                    largestChunkBytes(),
                    actor.getSelf());
        });
    }

    /** A larger chunk could never leave: it would wait for credit for ever, or not fit a message. */
    private long largestChunkBytes() {
        return Math.min(context.creditWindowBytes(), context.dataPlane().maxChunkPayloadBytes());
    }

    // ---- routing ----

    /**
     * A message of another node reaches the leg of its fence; with a wrong fence, the leg of the same request, whose machine
     * refuses it by the field that differs; a leg that ended ignores it.
     */
    private void route(Fence fence, String message, Consumer<PrefillLeg> action) {
        PrefillLeg leg = legs.get(fence);
        if (leg == null && ended.find(fence).isEmpty()) {
            leg = ofRequest(fence.request()).stream().findFirst().orElse(null);
        }
        if (leg == null) {
            context.metrics().stale("prefill", message);
            return;
        }
        act(leg, action);
    }

    /** The worker's own parts know no wrong fence; what comes after the end is late. */
    private void own(Fence fence, Consumer<PrefillLeg> action) {
        PrefillLeg leg = legs.get(fence);
        if (leg != null) {
            act(leg, action);
        }
    }

    private void own(TransferId transfer, Consumer<PrefillLeg> action) {
        legs.values().stream()
                .filter(leg -> leg.transfer().equals(transfer))
                .findFirst()
                .ifPresent(leg -> act(leg, action));
    }

    private void act(PrefillLeg leg, Consumer<PrefillLeg> action) {
        action.accept(leg);
        closeIfOver(leg);
    }

    private void closeIfOver(PrefillLeg leg) {
        if (leg.isOver() && legs.remove(leg.fence()) != null) {
            ended.add(leg.fence(), true);
            leg.close();
        }
    }

    private List<PrefillLeg> ofRequest(RequestId request) {
        return legs.values().stream()
                .filter(leg -> leg.fence().request().equals(request))
                .toList();
    }

    private void linkFailed(ChunkOutlet outlet, LinkFailure failure) {
        if (!outlet.isClosed()) {
            actor.getLog().warn("link to epoch={} failed: {}", outlet.destinationEpoch(), failure.getMessage());
            endLink(outlet);
        }
    }

    /** The link epoch is over: every leg on it loses its peer, the next leg opens another. */
    private void endLink(ChunkOutlet outlet) {
        outlet.close();
        outlets.values().remove(outlet);
        for (PrefillLeg leg : List.copyOf(legs.values())) {
            if (leg.outlet() == outlet) {
                act(leg, PrefillLeg::peerLost);
            }
        }
    }

    private void peerLost(WorkerEpoch epoch) {
        for (ChunkOutlet outlet : List.copyOf(outlets.values())) {
            if (outlet.destinationEpoch().equals(epoch)) {
                endLink(outlet);
            }
        }
    }

    private void tick() {
        long nowNanos = context.nowNanos();
        List<ChunkOutlet> silent = new ArrayList<>();
        for (PrefillLeg leg : List.copyOf(legs.values())) {
            if (leg.ticked(nowNanos)) {
                silent.add(leg.outlet());
            }
            closeIfOver(leg);
        }
        silent.stream().distinct().forEach(this::endLink);
    }

    private Behavior<Command> onStop() {
        outlets.values().forEach(ChunkOutlet::close);
        return Behaviors.same();
    }

    private void tell(Fence fence, RequestProtocol.Command message) {
        context.gateway().tell(fence.request(), message);
    }
}
