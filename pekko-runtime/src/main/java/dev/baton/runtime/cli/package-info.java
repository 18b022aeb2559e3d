/**
 * The command line. {@link dev.baton.runtime.cli.Baton} is the one main class: it parses with picocli and runs one command,
 * which talks to a running server over HTTP, starts node processes, or hands over to the node of this process through
 * {@link dev.baton.runtime.cli.NodeCommands}. Exit codes: 0 done, 1 failed, 2 used wrongly. Every failure says what cures it.
 */
@NullMarked
package dev.baton.runtime.cli;

import org.jspecify.annotations.NullMarked;
