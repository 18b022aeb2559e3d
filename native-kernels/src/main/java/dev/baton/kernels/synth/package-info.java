/**
 * Models without a file: weights drawn from a seed for a given shape, for tests and for measuring speed. A tensor is generated
 * when asked for and forgotten afterwards, so a large shape needs no large heap. The text such a model writes is noise.
 */
@NullMarked
package dev.baton.kernels.synth;

import org.jspecify.annotations.NullMarked;
