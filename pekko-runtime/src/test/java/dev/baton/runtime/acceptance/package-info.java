/** The whole system through its own front door: a real model, real Aeron, a real HTTP port. */
@NullMarked
package dev.baton.runtime.acceptance;

import org.jspecify.annotations.NullMarked;
