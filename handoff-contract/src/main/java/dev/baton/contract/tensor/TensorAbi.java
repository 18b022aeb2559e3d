package dev.baton.contract.tensor;

import dev.baton.contract.identity.Digest;
import java.nio.charset.StandardCharsets;

/**
 * How each K/V byte of a worker is decoded: the tensor ABI of §0x01A. Little-endian, layer-major.
 *
 * @param elementType scalar
 * @param axisOrder axes, outermost first
 * @param layers layers held by this partition
 * @param kvHeads K/V heads held by this partition
 * @param headDim elements of one head
 * @param blockTokens token slots of one block
 * @param partition which part of the model this is
 */
public record TensorAbi(
        ElementType elementType,
        AxisOrder axisOrder,
        int layers,
        int kvHeads,
        int headDim,
        int blockTokens,
        Partition partition) {

    public TensorAbi {
        requirePositive("layers", layers);
        requirePositive("kvHeads", kvHeads);
        requirePositive("headDim", headDim);
        requirePositive("blockTokens", blockTokens);
    }

    private static void requirePositive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException("TensorAbi." + name + " must be positive, found " + value);
        }
    }

    /** Bytes of one token's K and V in one layer: {@code 2 * H_kv * d_h * b}. */
    public long tokenLayerBytes() {
        return 2L * kvHeads * headDim * elementType.bytes();
    }

    /** Bytes of one token's K and V in all layers. */
    public long tokenBytes() {
        return layers * tokenLayerBytes();
    }

    /** Bytes of one block in one layer: the contiguous unit of the arena. */
    public long layerBlockBytes() {
        return blockTokens * tokenLayerBytes();
    }

    /** Blocks that {@code tokens} occupy. */
    public int blocksFor(long tokens) {
        return Math.toIntExact(Math.ceilDiv(tokens, (long) blockTokens));
    }

    /** What fences compare: equal digests mean equal interpretation of every byte. */
    public Digest digest() {
        return Digest.sha256(("tensor-abi-1|" + elementType + '|' + axisOrder + "|LE|" + layers + '|' + kvHeads + '|'
                        + headDim + '|' + blockTokens + '|' + partition)
                .getBytes(StandardCharsets.UTF_8));
    }
}
