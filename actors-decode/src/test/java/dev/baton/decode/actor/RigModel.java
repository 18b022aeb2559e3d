package dev.baton.decode.actor;

import dev.baton.contract.manifest.ModelIdentity;
import dev.baton.contract.tensor.TensorAbi;
import dev.baton.scheduler.kv.BlockMemory;
import dev.baton.scheduler.mls.actor.BatchEngine;
import dev.baton.transfer.link.ffi.KvRegion;

/** A model on a device with its arena, as a worker needs it. */
record RigModel(
        BatchEngine engine,
        BlockMemory memory,
        KvRegion region,
        ModelIdentity identity,
        TensorAbi abi,
        int vocabulary,
        int contextTokens) {

    static RigModel toy(ToyModel model) {
        return new RigModel(
                model,
                model,
                model.region(),
                ToyModel.IDENTITY,
                ToyModel.ABI,
                ToyModel.VOCABULARY,
                ToyModel.CONTEXT_TOKENS);
    }
}
