/**
 * The data plane: K/V bytes from one worker's arena to another's over Aeron, and nothing else.
 *
 * <p>Life of a chunk: the destination {@code expect}s a transfer (fence, plan, reserved blocks); the source's
 * {@code LinkSender} gathers header and blocks into one Aeron message; the destination's agent checks every header field
 * before it writes, copies each fragment straight into the reserved blocks, compares the checksum and tells the
 * {@code ChunkListener}. A refused message writes nothing and disturbs nobody else. {@code forget} and {@code cancel} complete
 * when the agent can no longer touch the memory: only then may blocks be freed. One {@code DataPlane} per process; one
 * publication per link epoch; one agent thread does all of it, media driver included.
 */
@NullMarked
package dev.baton.transfer.link;

import org.jspecify.annotations.NullMarked;
