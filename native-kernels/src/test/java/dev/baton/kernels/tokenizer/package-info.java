/** Tokenizers against the answers of others, and against their own promises. */
@NullMarked
package dev.baton.kernels.tokenizer;

import org.jspecify.annotations.NullMarked;
