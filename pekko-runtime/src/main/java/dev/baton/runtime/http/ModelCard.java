package dev.baton.runtime.http;

import dev.baton.contract.identity.ModelId;

/**
 * A model under the name by which clients ask for it.
 *
 * @param createdEpochSeconds when it began to be served
 * @param contextTokens longest sequence, prompt and answer together
 * @param text from text to tokens and back
 */
public record ModelCard(ModelId id, long createdEpochSeconds, int contextTokens, PromptText text) {}
