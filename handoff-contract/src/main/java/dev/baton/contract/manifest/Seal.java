package dev.baton.contract.manifest;

import java.util.List;

/**
 * What the source says when its last chunk has left: the checksum of every chunk by index, and the continuation. The
 * destination validates against it; without a seal nothing is published.
 *
 * @param checksums CRC-32C of each payload, unsigned in the low 32 bits
 */
public record Seal(List<Long> checksums, Continuation continuation) {
    public Seal {
        checksums = List.copyOf(checksums);
    }
}
