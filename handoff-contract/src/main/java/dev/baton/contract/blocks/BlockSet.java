package dev.baton.contract.blocks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Ordinals of prompt blocks, ascending and without repeats. Block {@code i} covers tokens {@code [i*B, (i+1)*B)}. */
public record BlockSet(List<Integer> ordinals) {
    public static final BlockSet EMPTY = new BlockSet(List.of());

    public BlockSet {
        ordinals = List.copyOf(ordinals);
        for (int i = 0; i < ordinals.size(); i++) {
            if (ordinals.get(i) < 0 || (i > 0 && ordinals.get(i) <= ordinals.get(i - 1))) {
                throw new IllegalArgumentException("block ordinals must ascend from 0, found " + ordinals);
            }
        }
    }

    /** {@code [from, to)}. */
    public static BlockSet range(int from, int to) {
        return new BlockSet(IntStream.range(from, to).boxed().toList());
    }

    public static BlockSet of(int... ordinals) {
        return new BlockSet(Arrays.stream(ordinals).sorted().distinct().boxed().toList());
    }

    public BlockSet minus(BlockSet other) {
        return new BlockSet(
                ordinals.stream().filter(b -> !other.ordinals.contains(b)).toList());
    }

    public int count() {
        return ordinals.size();
    }

    public boolean isEmpty() {
        return ordinals.isEmpty();
    }
}
