@NullMarked
package dev.baton.scheduler.kv;

import org.jspecify.annotations.NullMarked;
