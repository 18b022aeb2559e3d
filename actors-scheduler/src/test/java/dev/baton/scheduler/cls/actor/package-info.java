/** Tests. */
@NullMarked
package dev.baton.scheduler.cls.actor;

import org.jspecify.annotations.NullMarked;
