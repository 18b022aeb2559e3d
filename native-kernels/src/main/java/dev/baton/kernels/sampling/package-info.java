/**
 * From logits to the next token. A {@link dev.baton.kernels.sampling.Sampler} lives as long as one choice of one request. It
 * keeps scratch memory but no state: the token depends only on the logits, the tokens so far, the parameters and (seed,
 * choice, token index), so whoever continues a request at any index, after a handoff or a crash, draws the same token.
 */
@NullMarked
package dev.baton.kernels.sampling;

import org.jspecify.annotations.NullMarked;
