/**
 * The binding to the native ABI of {@code include/baton.h}, and the only place with downcalls. The library is a resource of this
 * module; on first use it is copied, named by its content hash, into a directory only this user may write, its hash is checked,
 * and it is loaded for the life of the JVM. ABI version and every struct size are compared before anything else is called.
 * Handles are {@code long}; 0 is no handle. Every function throws {@link dev.baton.kernels.ffi.KernelException} with the
 * native text. Callers are the packages {@code device}, {@code arena} and {@code forward}.
 */
@NullMarked
package dev.baton.kernels.ffi;

import org.jspecify.annotations.NullMarked;
