/**
 * A device and what lives on it. Open a {@link dev.baton.kernels.device.Device} (one per worker: it owns the native threads),
 * upload a {@link dev.baton.kernels.device.Model} into it, and create an arena and a forward pass over both. Close in the
 * opposite order: closing a parent that still has children is refused. Work is queued on a
 * {@link dev.baton.kernels.device.Queue}; an {@link dev.baton.kernels.device.Event} says when it is done. The CPU backends
 * finish before they return; code that waits for events is right on both.
 */
@NullMarked
package dev.baton.kernels.device;

import org.jspecify.annotations.NullMarked;
