@NullUnmarked
package dev.baton.runtime.trace;

import org.jspecify.annotations.NullUnmarked;
