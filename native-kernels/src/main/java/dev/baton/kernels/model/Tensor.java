package dev.baton.kernels.model;

import java.lang.foreign.MemorySegment;

/**
 * A read-only view of one tensor.
 *
 * @param name as in the file
 * @param type element format
 * @param rows outputs; 1 for a vector
 * @param cols inputs (the contiguous dimension), in elements
 * @param data {@code rows * type.rowBytes(cols)} bytes, row-major, valid while the model file is open
 */
public record Tensor(String name, TensorType type, long rows, long cols, MemorySegment data) {}
