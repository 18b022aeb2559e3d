/**
 * The prefill actor of a worker and its legs. A leg begins with StartPrefill: admitted, blocks reserved, prompt given to the
 * iteration loop. As layers become ready their chunks go out under the byte-credit window; the first tokens go to the request
 * entity as soon as they are sampled; the seal follows the last chunk. The leg ends, and its blocks are free, when the
 * destination acknowledges publication, or after an abort once neither loop nor transport touches the blocks.
 */
@NullMarked
package dev.baton.prefill.actor;

import org.jspecify.annotations.NullMarked;
