package dev.baton.simulation.handoff;

import dev.baton.contract.machine.Machine;
import dev.baton.transfer.destination.DestinationTransfer;
import dev.baton.transfer.source.SourceTransfer;

/**
 * The machines under test: the production ones, or ones with a planted bug.
 *
 * @param generationChecked false plants a directory that forgets generations
 */
record Machines(
        Machine<SourceTransfer.State, SourceTransfer.Event, SourceTransfer.Effect, SourceTransfer.Refusal> source,
        Machine<
                        DestinationTransfer.State,
                        DestinationTransfer.Event,
                        DestinationTransfer.Effect,
                        DestinationTransfer.Refusal>
                destination,
        boolean generationChecked) {

    static final Machines PRODUCTION = new Machines(SourceTransfer::decide, DestinationTransfer::decide, true);
}
