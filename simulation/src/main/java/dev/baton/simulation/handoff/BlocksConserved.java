package dev.baton.simulation.handoff;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every block has one owner; whoever releases owns; nothing writes into a released block; all are free at the end. */
final class BlocksConserved {
    static final String DECODE = "decode";
    private final int blockCount;
    private final Map<Integer, String> owners = new TreeMap<>();

    BlocksConserved(int blockCount) {
        this.blockCount = blockCount;
    }

    /** Free block ids, or none where fewer are free. */
    List<Integer> reserve(String owner, long count) {
        List<Integer> granted = new ArrayList<>();
        for (int block = 0; block < blockCount && granted.size() < count; block++) {
            if (!owners.containsKey(block)) {
                granted.add(block);
            }
        }
        if (granted.size() < count) {
            return List.of();
        }
        granted.forEach(block -> owners.put(block, owner));
        return granted;
    }

    void released(String owner, List<Integer> blocks, boolean copying) {
        if (copying) {
            throw new Violation(BlocksConserved.class, "blocks of " + owner + " released under a running copy");
        }
        for (int block : blocks) {
            String holder = owners.remove(block);
            if (!owner.equals(holder)) {
                throw new Violation(BlocksConserved.class, owner + " released block " + block + ", owner is " + holder);
            }
        }
    }

    void moved(String from, String to, List<Integer> blocks) {
        for (int block : blocks) {
            String holder = owners.put(block, to);
            if (!from.equals(holder)) {
                throw new Violation(BlocksConserved.class, from + " gave away block " + block + ", owner is " + holder);
            }
        }
    }

    void written(String owner, List<Integer> blocks) {
        for (int block : blocks) {
            if (!owner.equals(owners.get(block))) {
                throw new Violation(
                        BlocksConserved.class, owner + " wrote block " + block + ", owner is " + owners.get(block));
            }
        }
    }

    void crashed() {
        owners.clear();
    }

    void atEnd() {
        if (!owners.isEmpty()) {
            throw new Violation(BlocksConserved.class, "blocks lost: " + owners);
        }
    }
}
