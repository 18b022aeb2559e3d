/** Tests. */
@NullMarked
package dev.baton.scheduler.cls;

import org.jspecify.annotations.NullMarked;
