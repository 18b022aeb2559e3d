/**
 * What the two ends of a transfer tell each other on the control plane. Bytes never travel here; every message carries the fence.
 */
@NullMarked
package dev.baton.transfer.protocol;

import org.jspecify.annotations.NullMarked;
