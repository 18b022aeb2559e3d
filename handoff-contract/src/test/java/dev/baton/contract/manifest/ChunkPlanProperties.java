package dev.baton.contract.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.contract.ledger.KvLedger;
import dev.baton.contract.tensor.AxisOrder;
import dev.baton.contract.tensor.ElementType;
import dev.baton.contract.tensor.Partition;
import dev.baton.contract.tensor.TensorAbi;
import java.util.BitSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class ChunkPlanProperties {
    private static final int TRIES = 300;

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void s0x06D_everyLayerAndTokenIsInExactlyOneChunk(
            @ForAll @IntRange(min = 1, max = 6) int layers,
            @ForAll @IntRange(min = 1, max = 32) int blockTokens,
            @ForAll @IntRange(max = 5) int startBlock,
            @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll @LongRange(min = 1, max = 1 << 14) long limitBytes) {
        TensorAbi abi = abi(layers, blockTokens);
        TokenInterval tokens = new TokenInterval(startBlock * blockTokens, count);
        ChunkPlan plan = ChunkPlan.layerMajor(tokens, abi, limitBytes);

        BitSet covered = new BitSet();
        for (ChunkSpec chunk : plan.chunks()) {
            assertThat(tokens.covers(chunk.tokens())).isTrue();
            for (int token = chunk.tokens().start(); token < chunk.tokens().end(); token++) {
                int cell = chunk.layer() * tokens.end() + token;
                assertThat(covered.get(cell))
                        .as("layer %d token %d", chunk.layer(), token)
                        .isFalse();
                covered.set(cell);
            }
        }
        assertThat(covered.cardinality()).isEqualTo(layers * count);
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void s0x06_payloadIsWholeBlocksAndSumsToTheLedger(
            @ForAll @IntRange(min = 1, max = 6) int layers,
            @ForAll @IntRange(min = 1, max = 32) int blockTokens,
            @ForAll @IntRange(max = 5) int startBlock,
            @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll @LongRange(min = 1, max = 1 << 14) long limitBytes) {
        TensorAbi abi = abi(layers, blockTokens);
        TokenInterval tokens = new TokenInterval(startBlock * blockTokens, count);
        ChunkPlan plan = ChunkPlan.layerMajor(tokens, abi, limitBytes);
        KvLedger ledger = new KvLedger(abi);

        assertThat(plan.payloadBytes()).isEqualTo(ledger.payloadBytes(tokens));
        assertThat(ledger.paddingBytes(tokens)).isBetween(0L, (blockTokens - 1L) * abi.tokenBytes());
        for (ChunkSpec chunk : plan.chunks()) {
            assertThat(chunk.payloadBytes()).isEqualTo(chunk.blockCount() * abi.layerBlockBytes());
            assertThat(chunk.tokens().start()).isEqualTo(chunk.firstBlock() * blockTokens);
            assertThat(abi.blocksFor(chunk.tokens().count())).isEqualTo(chunk.blockCount());
        }
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void s0x06B_noChunkExceedsTheLimitUnlessItIsOneBlock(
            @ForAll @IntRange(min = 1, max = 6) int layers,
            @ForAll @IntRange(min = 1, max = 32) int blockTokens,
            @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll @LongRange(min = 1, max = 1 << 14) long limitBytes) {
        TensorAbi abi = abi(layers, blockTokens);
        ChunkPlan plan = ChunkPlan.layerMajor(new TokenInterval(0, count), abi, limitBytes);

        assertThat(plan.largestPayloadBytes()).isLessThanOrEqualTo(Math.max(limitBytes, abi.layerBlockBytes()));
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void s0x06C_chunksAreNumberedInTheOrderInWhichLayersBecomeReady(
            @ForAll @IntRange(min = 1, max = 6) int layers,
            @ForAll @IntRange(min = 1, max = 32) int blockTokens,
            @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll @LongRange(min = 1, max = 1 << 14) long limitBytes) {
        ChunkPlan plan = ChunkPlan.layerMajor(new TokenInterval(0, count), abi(layers, blockTokens), limitBytes);

        for (int i = 0; i < plan.count(); i++) {
            assertThat(plan.chunk(i).index()).isEqualTo(i);
            if (i > 0) {
                assertThat(plan.chunk(i).layer())
                        .isGreaterThanOrEqualTo(plan.chunk(i - 1).layer());
            }
        }
    }

    private static TensorAbi abi(int layers, int blockTokens) {
        return new TensorAbi(
                ElementType.F16, AxisOrder.LAYER_BLOCK_KV_HEAD_SLOT_DIM, layers, 2, 8, blockTokens, Partition.WHOLE);
    }
}
