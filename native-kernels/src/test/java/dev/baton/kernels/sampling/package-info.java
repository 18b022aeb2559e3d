/** Sampling: what it chooses, how often, and that it chooses the same again. */
@NullMarked
package dev.baton.kernels.sampling;

import org.jspecify.annotations.NullMarked;
