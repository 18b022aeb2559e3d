/**
 * Text to token ids and back. A {@link dev.baton.kernels.tokenizer.Tokenizer} is built once from a model file's metadata and
 * is immutable and free of the file afterwards. Text is first split at special tokens, then each stretch is cut by the
 * vocabulary's rules and merged pair by pair, best pair first, in time O(n log n) whatever the text. Backwards, tokens are
 * bytes; an {@link dev.baton.kernels.tokenizer.IncrementalDecoder} lives as long as one answer and lets out only whole
 * code points.
 */
@NullMarked
package dev.baton.kernels.tokenizer;

import org.jspecify.annotations.NullMarked;
