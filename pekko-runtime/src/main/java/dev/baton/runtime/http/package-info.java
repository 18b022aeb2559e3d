/**
 * The OpenAI-compatible face of Baton. A request's body is read strictly, checked field by field, tokenized, and given to the
 * {@link dev.baton.runtime.http.Backend} as one specification per prompt. The answer is pulled by sequence number, one pull
 * at a time and only when the client's connection takes more, so a slow client holds nothing but its position. When the
 * connection goes, whatever the client was waiting for is cancelled at once. This package decides nothing about tokens:
 * stop rules, limits and usage are the request's own.
 */
@NullMarked
package dev.baton.runtime.http;

import org.jspecify.annotations.NullMarked;
