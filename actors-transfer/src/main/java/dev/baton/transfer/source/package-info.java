/**
 * A transfer as its source sees it: announced, blocks pinned, each layer's chunks offered as prefill finishes it, sealed when all
 * are sent, released when the destination acknowledges publication. The pinned blocks are the only recoverable copy, so they
 * go only then, or after an abort that has seen the transport quiesce.
 */
@NullMarked
package dev.baton.transfer.source;

import org.jspecify.annotations.NullMarked;
