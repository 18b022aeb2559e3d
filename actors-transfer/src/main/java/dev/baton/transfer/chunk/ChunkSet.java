package dev.baton.transfer.chunk;

import dev.baton.contract.machine.Decision;
import dev.baton.contract.manifest.ChunkPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Phase and checksum of every chunk of one transfer; immutable. A change copies one page of 64 chunks and the page table, so
 * an event costs the same for ten chunks and little more for ten thousand.
 */
public final class ChunkSet {
    private static final int PAGE = 64;
    private static final ChunkPhase[] PHASES = ChunkPhase.values();

    private final ChunkPlan plan;
    private final byte[][] phases;
    private final long[][] checksums;
    private final int[] counts;
    private final long creditBytes;

    private ChunkSet(ChunkPlan plan, byte[][] phases, long[][] checksums, int[] counts, long creditBytes) {
        this.plan = plan;
        this.phases = phases;
        this.checksums = checksums;
        this.counts = counts;
        this.creditBytes = creditBytes;
    }

    public static ChunkSet declared(ChunkPlan plan) {
        int pages = Math.ceilDiv(plan.count(), PAGE);
        int[] counts = new int[PHASES.length];
        counts[ChunkPhase.DECLARED.ordinal()] = plan.count();
        return new ChunkSet(plan, new byte[pages][PAGE], new long[pages][PAGE], counts, 0);
    }

    public int count() {
        return plan.count();
    }

    public boolean declares(int index) {
        return index >= 0 && index < plan.count();
    }

    public ChunkPhase phase(int index) {
        return PHASES[phases[index / PAGE][index % PAGE]];
    }

    /** CRC-32C, unsigned in the low 32 bits; 0 until {@link #withChecksum}. */
    public long checksum(int index) {
        return checksums[index / PAGE][index % PAGE];
    }

    /** All checksums by index. */
    public List<Long> checksums() {
        List<Long> all = new ArrayList<>(plan.count());
        for (int index = 0; index < plan.count(); index++) {
            all.add(checksum(index));
        }
        return all;
    }

    public int count(ChunkPhase phase) {
        return counts[phase.ordinal()];
    }

    public boolean every(ChunkPhase phase) {
        return count(phase) == plan.count();
    }

    /** Payload bytes of the chunks whose phase holds credit. */
    public long creditBytes() {
        return creditBytes;
    }

    public ChunkSet with(int index, ChunkPhase next) {
        ChunkPhase before = phase(index);
        byte[][] changed = phases.clone();
        changed[index / PAGE] = changed[index / PAGE].clone();
        changed[index / PAGE][index % PAGE] = (byte) next.ordinal();
        int[] counted = counts.clone();
        counted[before.ordinal()]--;
        counted[next.ordinal()]++;
        long bytes = plan.chunk(index).payloadBytes();
        long credit = creditBytes - (before.holdsCredit() ? bytes : 0) + (next.holdsCredit() ? bytes : 0);
        return new ChunkSet(plan, changed, checksums, counted, credit);
    }

    public ChunkSet withChecksum(int index, long checksum) {
        long[][] changed = checksums.clone();
        changed[index / PAGE] = changed[index / PAGE].clone();
        changed[index / PAGE][index % PAGE] = checksum;
        return new ChunkSet(plan, phases, changed, counts, creditBytes);
    }

    /** Every chunk that holds credit becomes FAILED: its buffer may still be in the transport's hands. */
    public ChunkSet failOutstanding() {
        return each(new ChunkMachine.Event.Failed());
    }

    /** Every FAILED chunk becomes RECLAIMED: the transport is quiescent, or its epoch fenced. */
    public ChunkSet reclaim() {
        return each(new ChunkMachine.Event.Quiesced());
    }

    private ChunkSet each(ChunkMachine.Event event) {
        ChunkSet changed = this;
        for (int index = 0; index < plan.count(); index++) {
            if (ChunkMachine.decide(phase(index), event)
                    instanceof Decision.Moved<ChunkPhase, ChunkMachine.Effect, ChunkMachine.Refusal> moved) {
                changed = changed.with(index, moved.next());
            }
        }
        return changed;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChunkSet set
                && plan.equals(set.plan)
                && Arrays.deepEquals(phases, set.phases)
                && Arrays.deepEquals(checksums, set.checksums);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.deepHashCode(phases) + Arrays.deepHashCode(checksums);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("ChunkSet[");
        for (ChunkPhase phase : PHASES) {
            if (count(phase) > 0) {
                text.append(phase).append('=').append(count(phase)).append(' ');
            }
        }
        return text.append("creditBytes=").append(creditBytes).append(']').toString();
    }
}
