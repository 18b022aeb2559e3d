@NullUnmarked
package dev.baton.runtime.cli;

import org.jspecify.annotations.NullUnmarked;
