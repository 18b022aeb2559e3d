package dev.baton.transfer.directory;

import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TransferId;

/**
 * The right to read one published K/V state.
 *
 * @param serial unique within the directory and never used again
 */
public record PublicationHandle(RequestId request, Generation generation, TransferId transfer, long serial) {}
