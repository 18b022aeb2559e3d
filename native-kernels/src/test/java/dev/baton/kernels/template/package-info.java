/** Chat templates: the embedded model's, and the constructs that others use. */
@NullMarked
package dev.baton.kernels.template;

import org.jspecify.annotations.NullMarked;
