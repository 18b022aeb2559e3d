/**
 * Arithmetic of bytes, work and time: the seed's formulas as pure functions, used by schedulers and reports alike. Logical
 * bytes are the state; payload adds padding; wire adds framing and retries. They never share a name. A forecast
 * ({@link dev.baton.contract.ledger.TransferSchedule}) and an observation
 * ({@link dev.baton.contract.ledger.HandoffTimeline}) are measured by the same overlap ledger.
 */
@NullMarked
package dev.baton.contract.ledger;

import org.jspecify.annotations.NullMarked;
