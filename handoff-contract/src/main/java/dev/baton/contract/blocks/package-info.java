/**
 * Which blocks of a prompt must be computed and which must be moved. The two sets differ (§0x01A).
 */
@NullMarked
package dev.baton.contract.blocks;

import org.jspecify.annotations.NullMarked;
