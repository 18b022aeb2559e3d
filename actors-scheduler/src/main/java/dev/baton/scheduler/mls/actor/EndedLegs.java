package dev.baton.scheduler.mls.actor;

import dev.baton.contract.identity.Fence;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Fences of legs that ended, the latest {@code limit} of them: a message for one of these is late, for any other it is wrong. */
public final class EndedLegs<V> {
    private final Map<Fence, V> ended;

    public EndedLegs(int limit) {
        this.ended = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Fence, V> eldest) {
                return size() > limit;
            }
        };
    }

    public void add(Fence fence, V what) {
        ended.put(fence, what);
    }

    public Optional<V> find(Fence fence) {
        return Optional.ofNullable(ended.get(fence));
    }
}
