/**
 * Kills, power cuts and system-call traces of the real process, checked against a ledger of what was acknowledged. Start reading at {@link io.sluice.testkit.crash.Ledger}. Producers run on threads of their own; the ledger is safe on every thread.
 */
@NullMarked
package io.sluice.testkit.crash;

import org.jspecify.annotations.NullMarked;
