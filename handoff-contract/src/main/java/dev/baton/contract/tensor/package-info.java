/**
 * How a K/V byte is to be read: element type, axes, partition. Two workers exchange exact state only when their ABIs are
 * equal; the digest is what a fence compares.
 */
@NullMarked
package dev.baton.contract.tensor;

import org.jspecify.annotations.NullMarked;
