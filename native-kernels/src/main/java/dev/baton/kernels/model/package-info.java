/**
 * What a model is, whatever file it came from: shape, tensors, roles. A format reader ({@code .gguf}) opens a file, checks
 * every field against the shape, and hands out tensors as read-only views of the mapping; the device uploads them once and
 * keeps nothing of the file. Closing the file invalidates the views.
 */
@NullMarked
package dev.baton.kernels.model;

import org.jspecify.annotations.NullMarked;
