@NullMarked
package dev.baton.decode.actor;

import org.jspecify.annotations.NullMarked;
