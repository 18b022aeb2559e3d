/** What the tests of this module share. */
@NullMarked
package dev.baton.kernels;

import org.jspecify.annotations.NullMarked;
