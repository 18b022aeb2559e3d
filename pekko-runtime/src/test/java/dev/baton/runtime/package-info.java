@NullMarked
package dev.baton.runtime;

import org.jspecify.annotations.NullMarked;
