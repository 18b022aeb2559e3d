/**
 * Who and when: every identity is a type of its own, so that a generation cannot be passed for an epoch. The request entity
 * mints request, generation, attempt and transfer; a worker mints its epoch at start and a reservation per admission. A
 * fence is all seven together; every message that changes state carries one.
 */
@NullMarked
package dev.baton.contract.identity;

import org.jspecify.annotations.NullMarked;
