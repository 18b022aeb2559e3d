/** A pure machine decides; a host journals, adopts and runs the effects. */
@NullMarked
package dev.baton.contract.machine;

import org.jspecify.annotations.NullMarked;
