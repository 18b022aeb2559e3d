/** Tests. */
@NullMarked
package dev.baton.scheduler.mls;

import org.jspecify.annotations.NullMarked;
