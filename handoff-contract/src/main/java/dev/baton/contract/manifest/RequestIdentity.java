package dev.baton.contract.manifest;

import dev.baton.contract.identity.Attempt;
import dev.baton.contract.identity.Digest;
import dev.baton.contract.identity.Generation;
import dev.baton.contract.identity.RequestId;
import dev.baton.contract.identity.TenantId;

/**
 * First namespace: whose tokens.
 *
 * @param promptDigest over the token ids, see {@link Digests#ofTokens}
 * @param tokens the interval that the destination lacks
 * @param promptTokens all tokens of the prompt
 */
public record RequestIdentity(
        TenantId tenant,
        RequestId request,
        Generation generation,
        Attempt attempt,
        Digest promptDigest,
        TokenInterval tokens,
        int promptTokens) {}
