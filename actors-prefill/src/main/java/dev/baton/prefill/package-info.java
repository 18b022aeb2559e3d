/**
 * The prefill side of one leg. A leg is admitted only when everything the destination froze in the manifest is also true
 * here: incarnation, role, model, tensor ABI, prompt.
 */
@NullMarked
package dev.baton.prefill;

import org.jspecify.annotations.NullMarked;
