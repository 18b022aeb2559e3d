package dev.baton.contract.manifest;

import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.ModelId;

/**
 * Second namespace: which function of those tokens.
 *
 * @param checkpoint digest of the weights
 * @param tokenizer digest of vocabulary and rules
 * @param adapter digest of the adapter; the digest of nothing where there is none
 * @param positionPolicy digest of position numbering and rotary parameters
 * @param attentionMask digest of the visibility rule
 * @param numerics what decides the bits: backend, instruction set, kernel version
 */
public record ModelIdentity(
        ModelId model,
        Digest checkpoint,
        Digest tokenizer,
        Digest adapter,
        Digest positionPolicy,
        Digest attentionMask,
        String numerics) {}
