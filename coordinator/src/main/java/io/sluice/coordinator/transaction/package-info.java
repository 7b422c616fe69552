/**
 * Coordination of transactions. The coordinator is ours, on the runtime that all coordinators share; its records are Kafka's,
 * in {@code __transaction_state}. Start reading at {@link io.sluice.coordinator.transaction.TransactionPort}.
 *
 * <p>Threads: one of its own for all transactions, started with the first use; nothing waits on it.
 */
@NullMarked
package io.sluice.coordinator.transaction;

import org.jspecify.annotations.NullMarked;
