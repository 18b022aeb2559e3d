/**
 * Running a model over batches. A {@link dev.baton.kernels.forward.ForwardPass} owns a workspace for a largest batch; a
 * {@link dev.baton.kernels.forward.Batch} is filled, begun, embedded, driven through the layers one call each (so that a
 * layer's K/V can leave while the next layer runs), and asked for the logits of chosen rows; then the batch is cleared and
 * filled again. A row's logits and K/V depend only on its own sequence: not on the batch, the chunking of a prompt, or the
 * number of threads. Nothing is allocated in the steady state. One thread at a time per forward pass.
 */
@NullMarked
package dev.baton.kernels.forward;

import org.jspecify.annotations.NullMarked;
