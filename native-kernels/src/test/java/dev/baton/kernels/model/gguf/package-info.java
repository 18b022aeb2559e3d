/** Model files: good ones, refused ones, and thousands of damaged ones. */
@NullMarked
package dev.baton.kernels.model.gguf;

import org.jspecify.annotations.NullMarked;
