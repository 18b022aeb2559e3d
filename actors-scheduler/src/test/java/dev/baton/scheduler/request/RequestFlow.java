package dev.baton.scheduler.request;

import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.ReservationId;
import dev.baton.contract.identity.RouteEpoch;
import dev.baton.contract.machine.Decision;
import dev.baton.contract.machine.MachineHost;
import dev.baton.scheduler.Samples;
import dev.baton.scheduler.cls.RouteGrant;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Drives one request machine and keeps books: what was taken, what was released, what the client has. */
final class RequestFlow {
    final List<RequestEffect> effects = new ArrayList<>();
    final List<OutputItem> items = new ArrayList<>();
    final List<RequestMachine.Refusal> refusals = new ArrayList<>();
    final Set<Long> routes = new TreeSet<>();
    final Set<String> decodes = new TreeSet<>();
    final Set<String> prefills = new TreeSet<>();
    final MachineHost<RequestState, RequestEvent, RequestEffect, RequestMachine.Refusal> host;
    long now = 1;
    int tells;

    RequestFlow(RequestLimits limits) {
        host = new MachineHost<>(
                new RequestMachine(limits, model -> Samples.LETTERS),
                new RequestState.New(),
                (from, event, to) -> {
                    if (event instanceof RequestEvent.KvPublished published) {
                        prefills.remove(leg(published.fence()));
                    }
                    if (event instanceof RequestEvent.LegRefused refused) {
                        (refused.leg() == Leg.PREFILL ? prefills : decodes).remove(leg(refused.fence()));
                    }
                },
                this::run,
                (reason, event) -> refusals.add(reason));
    }

    private void run(RequestEffect effect) {
        effects.add(effect);
        switch (effect) {
            case RequestEffect.AskRoute ask -> routes.add(ask.routeAsk());
            case RequestEffect.ReleaseRoute release -> routes.remove(release.routeAsk());
            case RequestEffect.ReserveDecode reserve -> decodes.add(leg(reserve.fence()));
            case RequestEffect.StartColocated start -> decodes.add(leg(start.fence()));
            case RequestEffect.ReleaseDecode release -> decodes.remove(leg(release.fence()));
            case RequestEffect.StartPrefill start ->
                prefills.add(leg(start.manifest().fence()));
            case RequestEffect.CancelPrefill cancel -> prefills.remove(leg(cancel.fence()));
            case RequestEffect.Emit(OutputItem item) -> items.add(item);
            case RequestEffect.TellEnded ended -> tells++;
            case RequestEffect.AcceptTokens accept -> {}
            case RequestEffect.EndChoice end -> {}
        }
    }

    private static String leg(Fence fence) {
        return fence.generation() + "/" + fence.attempt();
    }

    boolean nothingHeld() {
        return routes.isEmpty() && decodes.isEmpty() && prefills.isEmpty();
    }

    Decision<RequestState, RequestEffect, RequestMachine.Refusal> handle(RequestEvent event) {
        return host.handle(event);
    }

    RequestState state() {
        return host.state();
    }

    <T extends RequestEffect> Optional<T> last(Class<T> type) {
        return effects.reversed().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    <T extends RequestEffect> T lastOf(Class<T> type) {
        return last(type).orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " in " + effects));
    }

    void submit(RequestSpec spec) {
        handle(new RequestEvent.Submitted(spec, now));
    }

    void grant(WorkerRef prefill, WorkerRef decode) {
        long ask = lastOf(RequestEffect.AskRoute.class).routeAsk();
        handle(new RequestEvent.RouteGranted(new RouteGrant(ask, RouteEpoch.FIRST, prefill, decode), now));
    }

    /** The destination of the last Reserve answers. */
    Fence reserved(long reservation) {
        RequestEffect.ReserveDecode reserve = lastOf(RequestEffect.ReserveDecode.class);
        Fence f = reserve.fence();
        Fence fence = new Fence(
                f.tenant(),
                f.request(),
                f.generation(),
                f.attempt(),
                f.sourceEpoch(),
                f.destinationEpoch(),
                new ReservationId(reservation));
        int prompt = reserve.spec().promptTokens().size()
                + reserve.spec().givenTokens().getFirst().size();
        handle(new RequestEvent.DecodeReserved(fence, Samples.manifest(fence, prompt), Samples.ENDPOINT, now));
        return fence;
    }

    void first(Fence fence, int index, Integer... tokens) {
        handle(new RequestEvent.FirstTokens(fence, index, List.of(tokens), now));
    }

    void produced(Fence fence, int choice, int firstIndex, Integer... tokens) {
        handle(new RequestEvent.TokensProduced(fence, choice, firstIndex, List.of(tokens), now));
    }

    void published(Fence fence) {
        handle(new RequestEvent.KvPublished(fence, 5, now));
    }

    String text(int choice) {
        StringBuilder text = new StringBuilder();
        items.stream().filter(i -> i.choice() == choice).forEach(i -> text.append(i.text()));
        return text.toString();
    }

    List<Integer> tokens(int choice) {
        return items.stream()
                .filter(i -> i.choice() == choice)
                .flatMap(i -> i.tokens().stream())
                .toList();
    }
}
