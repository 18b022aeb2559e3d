@NullUnmarked
package dev.baton.runtime.http;

import org.jspecify.annotations.NullUnmarked;
