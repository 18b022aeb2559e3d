/** Tests. */
@NullMarked
package dev.baton.scheduler.request;

import org.jspecify.annotations.NullMarked;
