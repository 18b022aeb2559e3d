/** Fixtures shared by the tests of the transfer machines. */
@NullMarked
package dev.baton.transfer;

import org.jspecify.annotations.NullMarked;
