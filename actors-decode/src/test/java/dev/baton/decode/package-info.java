@NullMarked
package dev.baton.decode;

import org.jspecify.annotations.NullMarked;
