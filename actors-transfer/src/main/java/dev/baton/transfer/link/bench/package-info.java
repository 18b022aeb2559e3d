/**
 * How fast the data plane is, next to what the machine can do: a memory copy and a TCP loopback connection in the same run. Started by
 * hand or by {@code baton bench handoff}; never on the path of a request.
 */
@NullMarked
package dev.baton.transfer.link.bench;

import org.jspecify.annotations.NullMarked;
