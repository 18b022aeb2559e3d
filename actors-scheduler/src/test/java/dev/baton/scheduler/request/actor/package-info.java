/** Tests. */
@NullMarked
package dev.baton.scheduler.request.actor;

import org.jspecify.annotations.NullMarked;
