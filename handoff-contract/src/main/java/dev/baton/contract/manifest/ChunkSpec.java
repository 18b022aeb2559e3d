package dev.baton.contract.manifest;

/**
 * One chunk: a run of whole blocks of one layer.
 *
 * @param index position in the plan, from 0
 * @param layer layer, from 0
 * @param tokens prompt tokens whose K/V it holds
 * @param firstBlock ordinal of the first block within the prompt
 * @param blockCount blocks
 * @param payloadBytes bytes on the wire without header: whole blocks, so a partial last block carries padding
 */
public record ChunkSpec(
        int index, int layer, TokenInterval tokens, int firstBlock, int blockCount, long payloadBytes) {}
