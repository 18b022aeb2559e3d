/**
 * What a handoff moves and under which identities. The request entity freezes the manifest before the first byte moves;
 * source and destination derive the same chunk plan from it, so a chunk is named by its number alone.
 */
@NullMarked
package dev.baton.contract.manifest;

import org.jspecify.annotations.NullMarked;
