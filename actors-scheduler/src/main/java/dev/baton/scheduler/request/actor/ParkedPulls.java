package dev.baton.scheduler.request.actor;

import dev.baton.scheduler.request.OutputItem;
import dev.baton.scheduler.request.RequestProtocol;
import dev.baton.scheduler.request.RequestState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Readers that wait for output. A slow reader holds nothing but its place here. */
final class ParkedPulls {
    private final int max;
    private final Map<Long, RequestProtocol.Pull> waiting = new LinkedHashMap<>();
    private long next;

    ParkedPulls(int max) {
        this.max = max;
    }

    /** The key under which the pull waits; empty when it was answered. */
    Optional<Long> answerOrPark(RequestProtocol.Pull pull, Story story) {
        if (ready(pull, story) || pull.waitMillis() <= 0) {
            answer(pull, story);
            return Optional.empty();
        }
        if (waiting.size() >= max) {
            expire(waiting.keySet().iterator().next(), story);
        }
        long key = next++;
        waiting.put(key, pull);
        return Optional.of(key);
    }

    void expire(long key, Story story) {
        RequestProtocol.Pull pull = waiting.remove(key);
        if (pull != null) {
            answer(pull, story);
        }
    }

    /** Answers everyone for whom there is something now. */
    List<Long> answerReady(Story story) {
        List<Long> answered = new ArrayList<>();
        waiting.forEach((key, pull) -> {
            if (ready(pull, story)) {
                answer(pull, story);
                answered.add(key);
            }
        });
        answered.forEach(waiting::remove);
        return answered;
    }

    private static boolean ready(RequestProtocol.Pull pull, Story story) {
        return story.items().size() > pull.fromSequence() || !(story.state() instanceof RequestState.Open);
    }

    private static void answer(RequestProtocol.Pull pull, Story story) {
        List<OutputItem> items = story.items();
        int from = Math.clamp(pull.fromSequence(), 0, items.size());
        int to = (int) Math.min(items.size(), (long) from + Math.max(1, pull.maxItems()));
        List<OutputItem> slice = items.subList(from, to);
        RequestProtocol.Pulled pulled = switch (story.state()) {
            case RequestState.New fresh -> new RequestProtocol.Pulled(List.of(), null, null, null, false);
            case RequestState.Open open ->
                new RequestProtocol.Pulled(slice, null, null, open.progress().usage(), true);
            case RequestState.Ended ended ->
                to == items.size()
                        ? new RequestProtocol.Pulled(
                                slice,
                                ended.outcome(),
                                ended.failure().orElse(null),
                                ended.progress().usage(),
                                true)
                        : new RequestProtocol.Pulled(
                                slice, null, null, ended.progress().usage(), true);
        };
        pull.replyTo().tell(pulled);
    }
}
