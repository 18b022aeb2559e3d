/**
 * Byte credits of one link (§0x06B).
 *
 * <p>A chunk's bytes are acquired before it is offered to the transport and returned when the destination declares it
 * DEVICE_VISIBLE, or, for an aborted transfer, after the transport is quiescent. In between they count as in flight, and what is in flight
 * never exceeds the window. Credits bound staging and copy work; they say nothing about the destination's reservation.
 */
@NullMarked
package dev.baton.transfer.credit;

import org.jspecify.annotations.NullMarked;
