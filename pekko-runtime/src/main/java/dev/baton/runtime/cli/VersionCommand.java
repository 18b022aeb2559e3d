package dev.baton.runtime.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "version", description = "The version of Baton and of the JVM.", mixinStandardHelpOptions = true)
final class VersionCommand implements Callable<Integer>, IVersionProvider {

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public String[] getVersion() {
        return new String[] {"baton " + baton() + " (Java " + Runtime.version() + ")"};
    }

    @Override
    public Integer call() {
        spec.commandLine()
                .getOut()
                .println(
                        json
                                ? JsonNodeFactory.instance
                                        .objectNode()
                                        .put("baton", baton())
                                        .put("java", Runtime.version().toString())
                                        .toString()
                                : getVersion()[0]);
        return NodeCommands.SUCCESS;
    }

    /** From the jar's manifest; classes that were never packaged have none. */
    private static String baton() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
