/**
 * What can be read back: one record per adopted decision of any machine, in a versioned shape.
 */
@NullMarked
package dev.baton.contract.journal;

import org.jspecify.annotations.NullMarked;
