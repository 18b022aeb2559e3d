/**
 * A transfer as its destination sees it: planned from a frozen manifest, blocks reserved, chunks received and made visible, sealed by
 * the source, validated, published in the directory, admitted to decode, acknowledged. Everything that goes wrong before
 * publication takes one way out: cancel, quiesce, return credits, release blocks, record. After publication nothing aborts.
 */
@NullMarked
package dev.baton.transfer.destination;

import org.jspecify.annotations.NullMarked;
