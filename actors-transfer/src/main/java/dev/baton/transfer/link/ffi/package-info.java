/**
 * The K/V memory that the link reads and writes. An arena is registered as a {@link dev.baton.transfer.link.ffi.KvRegion}
 * when its worker starts and outlives every transfer that names it: the link touches blocks only between
 * {@code expect}/{@code offer} and the completion of {@code forget}/{@code cancel}, so whoever frees memory waits for that.
 */
@NullMarked
package dev.baton.transfer.link.ffi;

import org.jspecify.annotations.NullMarked;
