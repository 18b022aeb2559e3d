package dev.baton.scheduler.request.actor;

import dev.baton.contract.identity.ModelId;
import dev.baton.scheduler.cls.ClsProtocol;
import dev.baton.scheduler.request.RequestEffect;
import dev.baton.scheduler.request.RequestSpec;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.PrefillProtocol;
import java.util.function.BiConsumer;

/** Turns effects into messages to workers and scheduler. */
final class LegCalls {
    private final BiConsumer<ModelId, ClsProtocol.Command> routes;

    LegCalls(BiConsumer<ModelId, ClsProtocol.Command> routes) {
        this.routes = routes;
    }

    void run(RequestEffect effect, RequestSpec spec) {
        switch (effect) {
            case RequestEffect.AskRoute ask ->
                routes.accept(
                        spec.model(),
                        new ClsProtocol.AskRoute(
                                spec.tenant(),
                                spec.request(),
                                ask.routeAsk(),
                                ask.promptTokens(),
                                ask.choices(),
                                ask.growthTokensPerChoice(),
                                ask.colocated(),
                                ask.avoid(),
                                ask.waitMillis()));
            case RequestEffect.ReleaseRoute(long routeAsk) ->
                routes.accept(spec.model(), new ClsProtocol.ReleaseRoute(spec.request(), routeAsk));
            case RequestEffect.ReserveDecode reserve ->
                reserve.decode()
                        .decode()
                        .tell(new DecodeProtocol.Reserve(
                                spec.tenant(),
                                spec.request(),
                                reserve.fence().generation(),
                                reserve.fence().attempt(),
                                reserve.source(),
                                reserve.decode().epoch(),
                                reserve.decode().roleEpoch(),
                                reserve.spec()));
            case RequestEffect.StartColocated start ->
                start.worker()
                        .decode()
                        .tell(new DecodeProtocol.StartColocated(
                                spec.tenant(),
                                spec.request(),
                                start.fence().generation(),
                                start.fence().attempt(),
                                start.worker().epoch(),
                                start.worker().roleEpoch(),
                                start.spec()));
            case RequestEffect.StartPrefill start ->
                start.prefill()
                        .prefill()
                        .tell(new PrefillProtocol.StartPrefill(
                                start.manifest(),
                                start.prefill().roleEpoch(),
                                start.spec(),
                                start.endpoint(),
                                start.decode().decode()));
            case RequestEffect.CancelPrefill cancel ->
                cancel.prefill().prefill().tell(new PrefillProtocol.CancelPrefill(cancel.fence(), cancel.cause()));
            case RequestEffect.ReleaseDecode release ->
                release.decode().decode().tell(new DecodeProtocol.ReleaseDecode(release.fence(), release.cause()));
            case RequestEffect.AcceptTokens accept ->
                accept.decode()
                        .decode()
                        .tell(new DecodeProtocol.TokensAccepted(accept.fence(), accept.choice(), accept.nextIndex()));
            case RequestEffect.EndChoice end ->
                end.decode().decode().tell(new DecodeProtocol.EndChoice(end.fence(), end.choice()));
            case RequestEffect.Emit emit -> throw new IllegalStateException("output is kept by the story");
            case RequestEffect.TellEnded ended -> {
                // The entity itself tells its readers and its observer.
            }
        }
    }
}
