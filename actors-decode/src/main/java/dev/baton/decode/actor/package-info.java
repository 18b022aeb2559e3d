/**
 * The decode actor of a worker and its legs. A leg begins with Reserve: blocks for the whole trajectory, manifest frozen,
 * chunks expected, then announced to the request. It waits for publication, admits only what it finds in the directory, runs
 * one sequence per choice, hands on tokens as they are acknowledged, and ends when the request lets go. StartColocated takes
 * the same way with the prompt computed here instead of received.
 */
@NullMarked
package dev.baton.decode.actor;

import org.jspecify.annotations.NullMarked;
