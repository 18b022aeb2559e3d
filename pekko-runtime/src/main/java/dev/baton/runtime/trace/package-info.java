/**
 * Reading a request back. The journal gives one record per adopted decision of every machine that took part; the
 * {@link dev.baton.runtime.trace.Timeline} puts them in order of time and says where the time went. It reads records and
 * nothing else, so the console, the command line and tests see the same.
 */
@NullMarked
package dev.baton.runtime.trace;

import org.jspecify.annotations.NullMarked;
