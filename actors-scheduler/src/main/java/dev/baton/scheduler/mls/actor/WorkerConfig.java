package dev.baton.scheduler.mls.actor;

import dev.baton.scheduler.mls.MlsLimits;
import java.time.Duration;

/**
 * The numbers of one worker.
 *
 * @param arenaBlocks K/V blocks of the arena (§0x01A)
 * @param blockTokens tokens of a block (§0x01A); equal on both ends of a handoff
 * @param maxBatchRows most rows of one iteration, prefill and decode together (§0x00C)
 * @param prefillBudgetTokens most prompt tokens of one iteration (§0x00D)
 * @param chunkPayloadLimitBytes largest payload of one transfer chunk; a chunk holds at least one block of one layer (§0x07)
 * @param maxPrefillLegs most prefill legs at once; more are refused (§0x08F)
 * @param maxDecodeLegs most decode legs at once, waiting and running (§0x08F)
 * @param maxDecodeSequences most sequences at once over all decode legs (§0x08F)
 * @param transferDeadline longest time from reservation to publication at the destination, and from acceptance to the end of
 *     the transfer at the source (§0x06E)
 * @param quiesceDeadline longest wait for the transport to let go of blocks before the peer's epoch is fenced (§0x06E)
 * @param silenceDeadline longest time a running decode goes on without a word from its request
 * @param drainDeadline longest time the loop may take to let go of a sequence before the worker is fenced
 * @param tick how often deadlines are checked, whatever the load
 * @param rememberedFences fences of ended legs that are remembered to tell a late message from a wrong one
 * @param recordsPerLeg most transition records of one leg; later ones are counted, not kept
 */
public record WorkerConfig(
        int arenaBlocks,
        int blockTokens,
        int maxBatchRows,
        int prefillBudgetTokens,
        long chunkPayloadLimitBytes,
        int maxPrefillLegs,
        int maxDecodeLegs,
        int maxDecodeSequences,
        Duration transferDeadline,
        Duration quiesceDeadline,
        Duration silenceDeadline,
        Duration drainDeadline,
        Duration tick,
        int rememberedFences,
        int recordsPerLeg) {

    public WorkerConfig {
        require("arenaBlocks", arenaBlocks);
        require("blockTokens", blockTokens);
        require("maxBatchRows", maxBatchRows);
        require("prefillBudgetTokens", prefillBudgetTokens);
        require("chunkPayloadLimitBytes", chunkPayloadLimitBytes);
        require("maxPrefillLegs", maxPrefillLegs);
        require("maxDecodeLegs", maxDecodeLegs);
        require("maxDecodeSequences", maxDecodeSequences);
        require("transferDeadline", transferDeadline.toNanos());
        require("quiesceDeadline", quiesceDeadline.toNanos());
        require("silenceDeadline", silenceDeadline.toNanos());
        require("drainDeadline", drainDeadline.toNanos());
        require("tick", tick.toNanos());
        require("rememberedFences", rememberedFences);
        require("recordsPerLeg", recordsPerLeg);
    }

    /** Fit for a small model on a laptop. */
    public static WorkerConfig small(int arenaBlocks) {
        return new WorkerConfig(
                arenaBlocks,
                16,
                256,
                128,
                256 << 10,
                64,
                256,
                256,
                Duration.ofSeconds(30),
                Duration.ofSeconds(2),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(50),
                4_096,
                4_096);
    }

    /** What the iteration loop runs and holds; prompts of colocated legs count as prefills too. */
    public MlsLimits mlsLimits() {
        return new MlsLimits(
                maxBatchRows, prefillBudgetTokens, maxPrefillLegs + maxDecodeLegs, maxDecodeSequences, false);
    }

    private static void require(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException("WorkerConfig." + name + " must be positive, found " + value);
        }
    }
}
