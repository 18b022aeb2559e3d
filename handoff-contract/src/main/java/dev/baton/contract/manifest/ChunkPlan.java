package dev.baton.contract.manifest;

import dev.baton.contract.tensor.TensorAbi;
import java.util.ArrayList;
import java.util.List;

/**
 * The expected chunks of a transfer in layer-major order. Both ends derive it from the manifest; neither sends it.
 * Coverage is exact: every (layer, token) of the interval is in exactly one chunk.
 */
public record ChunkPlan(List<ChunkSpec> chunks, TokenInterval tokens, int layers) {

    public ChunkPlan {
        chunks = List.copyOf(chunks);
    }

    public static ChunkPlan layerMajor(TokenInterval tokens, TensorAbi abi, long payloadLimitBytes) {
        int blockTokens = abi.blockTokens();
        int firstBlock = tokens.start() / blockTokens;
        int endBlock = Math.ceilDiv(tokens.end(), blockTokens);
        int blocksPerChunk = Math.clamp(payloadLimitBytes / abi.layerBlockBytes(), 1, endBlock - firstBlock);
        List<ChunkSpec> chunks = new ArrayList<>();
        for (int layer = 0; layer < abi.layers(); layer++) {
            for (int block = firstBlock; block < endBlock; block += blocksPerChunk) {
                int count = Math.min(blocksPerChunk, endBlock - block);
                int start = block * blockTokens;
                int end = Math.min(tokens.end(), (block + count) * blockTokens);
                chunks.add(new ChunkSpec(
                        chunks.size(),
                        layer,
                        new TokenInterval(start, end - start),
                        block,
                        count,
                        count * abi.layerBlockBytes()));
            }
        }
        return new ChunkPlan(chunks, tokens, abi.layers());
    }

    public int count() {
        return chunks.size();
    }

    public ChunkSpec chunk(int index) {
        return chunks.get(index);
    }

    public long payloadBytes() {
        return chunks.stream().mapToLong(ChunkSpec::payloadBytes).sum();
    }

    public long largestPayloadBytes() {
        return chunks.stream().mapToLong(ChunkSpec::payloadBytes).max().orElse(0);
    }
}
