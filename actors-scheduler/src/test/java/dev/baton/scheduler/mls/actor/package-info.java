@NullMarked
package dev.baton.scheduler.mls.actor;

import org.jspecify.annotations.NullMarked;
