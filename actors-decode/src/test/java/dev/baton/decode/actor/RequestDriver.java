package dev.baton.decode.actor;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Fence;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;
import dev.baton.contract.journal.TransitionRecord;
import dev.baton.contract.manifest.HandoffManifest;
import dev.baton.scheduler.request.RequestGateway;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.worker.DecodeProtocol;
import dev.baton.scheduler.worker.DecodeSpec;
import dev.baton.scheduler.worker.LegRefusal;
import dev.baton.scheduler.worker.PrefillProtocol;
import dev.baton.scheduler.worker.WorkerRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Plays the request entities: binds legs, collects tokens by index, acknowledges, ends choices, releases. */
final class RequestDriver implements RequestGateway {
    private final Map<RequestId, Run> runs = new ConcurrentHashMap<>();

    /** One request and everything that was said to it. */
    static final class Run {
        final RequestId request;
        final DecodeSpec spec;
        final WorkerRef prefill;
        final WorkerRef decode;
        final Generation generation;
        private final List<TreeMap<Integer, Integer>> tokens = new ArrayList<>();
        private final List<TransitionRecord> transitions = new ArrayList<>();
        private final List<String> failures = new ArrayList<>();
        private final List<LegRefusal> refusals = new ArrayList<>();
        private boolean released;
        private boolean holdTokens;
        private int stopAfter = Integer.MAX_VALUE;
        private int published;

        @Nullable
        Fence fence;

        @Nullable
        HandoffManifest manifest;

        PrefillProtocol.@Nullable StartPrefill start;

        Run(RequestId request, Generation generation, DecodeSpec spec, WorkerRef prefill, WorkerRef decode) {
            this.request = request;
            this.generation = generation;
            this.spec = spec;
            this.prefill = prefill;
            this.decode = decode;
            for (int c = 0; c < spec.choices(); c++) {
                tokens.add(new TreeMap<>());
            }
        }

        synchronized List<List<Integer>> answers() {
            return tokens.stream().map(t -> List.copyOf(t.values())).toList();
        }

        synchronized List<TransitionRecord> transitions() {
            return List.copyOf(transitions);
        }

        synchronized List<String> failures() {
            return List.copyOf(failures);
        }

        synchronized List<LegRefusal> refusals() {
            return List.copyOf(refusals);
        }

        synchronized boolean isReleased() {
            return released;
        }

        synchronized int published() {
            return published;
        }

        /** From now on tokens are not acknowledged. */
        synchronized Run holdingTokens() {
            holdTokens = true;
            return this;
        }

        /** The request's own rule: the choice ends after so many tokens. */
        synchronized Run stoppingAfter(int count) {
            stopAfter = count;
            return this;
        }

        synchronized void cancel() {
            released = true;
            Fence known = fence;
            if (known != null) {
                decode.decode().tell(new DecodeProtocol.ReleaseDecode(known, "cancelled"));
                prefill.prefill().tell(new PrefillProtocol.CancelPrefill(known, "cancelled"));
            }
        }

        private synchronized void receive(RequestProtocol.Command message) {
            switch (message) {
                case RequestProtocol.DecodeReserved(Fence reserved, HandoffManifest frozen, var endpoint) -> {
                    fence = reserved;
                    manifest = frozen;
                    start = new PrefillProtocol.StartPrefill(
                            frozen, prefill.roleEpoch(), spec, endpoint, decode.decode());
                    if (released) {
                        cancel();
                    } else {
                        prefill.prefill().tell(start);
                    }
                }
                case RequestProtocol.ColocatedAccepted(Fence accepted) -> {
                    fence = accepted;
                    if (released) {
                        cancel();
                    }
                }
                case RequestProtocol.FirstTokens(Fence from, int index, List<Integer> first) -> {
                    fence = from;
                    for (int c = 0; c < first.size(); c++) {
                        add(c, index, List.of(first.get(c)));
                    }
                    releaseWhenDone();
                }
                case RequestProtocol.KvPublished(Fence from, long stallNanos) -> published++;
                case RequestProtocol.TokensProduced(Fence from, int choice, int firstIndex, List<Integer> produced) -> {
                    add(choice, firstIndex, produced);
                    if (!holdTokens) {
                        decode.decode()
                                .tell(new DecodeProtocol.TokensAccepted(from, choice, firstIndex + produced.size()));
                    }
                    if (tokens.get(choice).size() >= stopAfter) {
                        decode.decode().tell(new DecodeProtocol.EndChoice(from, choice));
                    }
                    releaseWhenDone();
                }
                case RequestProtocol.LegRefused(Fence from, var leg, LegRefusal reason) -> refusals.add(reason);
                case RequestProtocol.LegFailed(Fence from, var leg, String cause) -> {
                    failures.add(leg + " " + cause);
                    released = true;
                    decode.decode().tell(new DecodeProtocol.ReleaseDecode(from, "failed"));
                    prefill.prefill().tell(new PrefillProtocol.CancelPrefill(from, "failed"));
                }
                case RequestProtocol.TransitionsReported(List<TransitionRecord> reported) ->
                    transitions.addAll(reported);
                case RequestProtocol.PrefillAccepted accepted -> {}
                case RequestProtocol.Submit _,
                        RequestProtocol.Pull _,
                        RequestProtocol.Cancel _,
                        RequestProtocol.ReadTrace _,
                        RequestProtocol.RouteGranted _,
                        RequestProtocol.RouteRefused _,
                        RequestProtocol.WorkerLost _,
                        RequestProtocol.Internal _ ->
                    throw new IllegalStateException("workers do not say " + message.getClass());
            }
        }

        private void add(int choice, int firstIndex, List<Integer> produced) {
            TreeMap<Integer, Integer> known = tokens.get(choice);
            for (int i = 0; i < produced.size(); i++) {
                Integer other = known.putIfAbsent(firstIndex + i, produced.get(i));
                if (other != null && !other.equals(produced.get(i))) {
                    failures.add("choice " + choice + " index " + (firstIndex + i) + " had two tokens");
                }
            }
        }

        private void releaseWhenDone() {
            boolean done = true;
            for (TreeMap<Integer, Integer> choice : tokens) {
                int given = spec.givenTokens().getFirst().size();
                boolean over = !choice.isEmpty()
                        && (choice.size() + given >= spec.maxTokens()
                                || choice.size() >= stopAfter
                                || spec.stopTokens().contains(choice.lastEntry().getValue()));
                done &= over;
            }
            // A handoff is let run to its publication, as the entity does where it wants the timeline whole.
            if (done && !released) {
                released = true;
                Fence known = fence;
                if (known != null) {
                    decode.decode().tell(new DecodeProtocol.ReleaseDecode(known, "finished"));
                    prefill.prefill().tell(new PrefillProtocol.CancelPrefill(known, "finished"));
                }
            }
        }
    }

    @Override
    public void tell(RequestId request, RequestProtocol.Command message) {
        Run run = runs.get(request);
        if (run != null) {
            run.receive(message);
        }
    }

    Run prepare(String request, Generation generation, DecodeSpec spec, WorkerRef prefill, WorkerRef decode) {
        Run run = new Run(new RequestId(request), generation, spec, prefill, decode);
        runs.put(run.request, run);
        return run;
    }

    /** Both legs, or a colocated one where both are the same worker. */
    Run start(Run run) {
        TenantId tenant = new TenantId("tenant");
        if (run.prefill.worker().equals(run.decode.worker())) {
            run.decode
                    .decode()
                    .tell(new DecodeProtocol.StartColocated(
                            tenant,
                            run.request,
                            run.generation,
                            Attempt.FIRST,
                            run.decode.epoch(),
                            run.decode.roleEpoch(),
                            run.spec));
        } else {
            run.decode
                    .decode()
                    .tell(new DecodeProtocol.Reserve(
                            tenant,
                            run.request,
                            run.generation,
                            Attempt.FIRST,
                            run.prefill,
                            run.decode.epoch(),
                            run.decode.roleEpoch(),
                            run.spec));
        }
        return run;
    }

    Run start(String request, DecodeSpec spec, WorkerRef prefill, WorkerRef decode) {
        return start(prepare(request, Generation.FIRST, spec, prefill, decode));
    }
}
