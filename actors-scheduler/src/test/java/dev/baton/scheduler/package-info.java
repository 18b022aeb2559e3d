/** What the tests of the schedulers share. */
@NullMarked
package dev.baton.scheduler;

import org.jspecify.annotations.NullMarked;
