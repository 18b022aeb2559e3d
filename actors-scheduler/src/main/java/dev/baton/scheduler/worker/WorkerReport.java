package dev.baton.scheduler.worker;

import dev.baton.contract.identity.ModelId;
import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.tensor.TensorAbi;

/**
 * A worker's load as it saw it; stale on arrival.
 *
 * @param sequence counts the reports of this epoch
 * @param nodeAddress cluster address of the worker's node, to match membership events
 * @param pendingPrefillTokens prompt tokens queued or in computation
 * @param runningDecodes sequences in the decode batch
 * @param freeBlocks K/V blocks not reserved
 * @param totalBlocks K/V blocks of the arena
 * @param contextTokens longest sequence
 */
public record WorkerReport(
        WorkerRef ref,
        ModelId model,
        Role role,
        long sequence,
        String nodeAddress,
        long pendingPrefillTokens,
        int runningDecodes,
        int freeBlocks,
        int totalBlocks,
        int contextTokens,
        TensorAbi abi,
        ModelIdentity identity) {}
