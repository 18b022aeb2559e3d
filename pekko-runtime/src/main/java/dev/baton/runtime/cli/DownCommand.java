package dev.baton.runtime.cli;

import dev.baton.runtime.cli.RunState.ProcessEntry;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "down",
        description = "Ends what up started; asks each process first, kills it when it does not end.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  ./baton down"})
final class DownCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        RunState state = RunState.open();
        Optional<RunState.Cluster> cluster = state.read();
        if (cluster.isEmpty()) {
            spec.commandLine().getOut().println("nothing to end: no cluster was started with ./baton up");
            return NodeCommands.SUCCESS;
        }
        long running =
                cluster.get().nodes().stream().filter(ProcessEntry::isRunning).count();
        new LocalCluster(state, spec.commandLine().getErr(), Baton.class)
                .stop(cluster.get().nodes());
        state.forget();
        spec.commandLine()
                .getOut()
                .println("ended " + running + " of " + cluster.get().nodes().size() + " processes");
        return NodeCommands.SUCCESS;
    }
}
