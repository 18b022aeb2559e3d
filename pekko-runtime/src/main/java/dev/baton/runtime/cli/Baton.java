package dev.baton.runtime.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The main class: {@code ./baton COMMAND}. */
@Command(
        name = "baton",
        description = "Serves language models with prefill and decode on different workers.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        subcommands = {
            ServeCommand.class,
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            GenerateCommand.class,
            TraceCommand.class,
            ModelCommand.class,
            BenchCommand.class,
            VersionCommand.class,
            NodeCommand.class
        },
        footer = {
            "",
            "Examples:",
            "  ./baton serve                       one process: HTTP port, one prefill and one decode worker",
            "  ./baton up --prefill 2 --decode 2   a cluster of processes on this machine",
            "  ./baton generate \"Once upon a time\"  an answer from the running server",
            "",
            "Exit codes: 0 done, 1 failed, 2 used wrongly."
        })
public final class Baton implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
    }

    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(Baton::installed, out, err, args));
    }

    /**
     * Runs one command and returns its exit code.
     *
     * @param nodes asked for only by commands that need a node
     */
    public static int run(Supplier<NodeCommands> nodes, PrintWriter out, PrintWriter err, String... args) {
        CommandLine line = new CommandLine(new Baton(), factory(nodes));
        line.setOut(out);
        line.setErr(err);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof CliFailure known) {
                command.getErr().println("baton: " + known.getMessage());
            } else {
                command.getErr().println("baton: " + failure);
                failure.printStackTrace(command.getErr());
            }
            return NodeCommands.FAILURE;
        });
        return line.execute(args);
    }

    /** Commands that need a node have a constructor that takes where to get it. */
    private static IFactory factory(Supplier<NodeCommands> nodes) {
        IFactory plain = CommandLine.defaultFactory();
        return new IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                return NodeCommandUser.class.isAssignableFrom(type)
                        ? type.getConstructor(Supplier.class).newInstance(nodes)
                        : plain.create(type);
            }
        };
    }

    private static NodeCommands installed() {
        return ServiceLoader.load(NodeCommands.class)
                .findFirst()
                .orElseThrow(
                        () -> new CliFailure("this build has no node assembly; build all of Baton: ./baton build"));
    }
}
