package dev.baton.runtime.cli;

import java.util.function.Supplier;

/** A command that needs the node assembly; it has a public constructor taking only its supplier. */
abstract class NodeCommandUser {
    private final Supplier<NodeCommands> nodes;

    NodeCommandUser(Supplier<NodeCommands> nodes) {
        this.nodes = nodes;
    }

    final NodeCommands nodes() {
        return nodes.get();
    }
}
