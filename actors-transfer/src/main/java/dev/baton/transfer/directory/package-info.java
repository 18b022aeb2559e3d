/**
 * What decode may read: one handle per request, published under its generation, taken once by decode, superseded by a newer
 * generation, or withdrawn. Handles that ended are remembered for a while, so that a late reader learns why it gets nothing.
 */
@NullMarked
package dev.baton.transfer.directory;

import org.jspecify.annotations.NullMarked;
