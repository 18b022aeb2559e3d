/**
 * The sending half of one link as a Pekko Stream: ready chunks of all transfers queue in order, the credit gate lets a chunk
 * through when the ledger grants its bytes, the sink hands it to the data plane and reports that it left.
 *
 * <p>Demand is the credit window: the gate is the only place where a chunk waits for the destination, so back-pressure has one
 * source. The stream ends with its link epoch; whoever owns it starts another for the next.
 */
@NullMarked
package dev.baton.transfer.link.stream;

import org.jspecify.annotations.NullMarked;
