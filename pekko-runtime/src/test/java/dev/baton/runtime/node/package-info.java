@NullMarked
package dev.baton.runtime.node;

import org.jspecify.annotations.NullMarked;
