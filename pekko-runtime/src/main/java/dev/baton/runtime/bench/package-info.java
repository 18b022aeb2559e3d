/**
 * Measurements that anyone can rerun. Each figure is measured here, next to named peers in the same run, and told as a ratio to
 * them: absolute figures of a shared machine say little.
 */
@NullMarked
package dev.baton.runtime.bench;

import org.jspecify.annotations.NullMarked;
