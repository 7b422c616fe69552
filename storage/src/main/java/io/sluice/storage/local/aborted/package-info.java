/**
 * Aborted transactions of a log, of which readers of what is committed have to be told. The newest ones are in the heap, in
 * blocks; full blocks are moved by checkpoints to files of their own, chunks, of which a descriptor stays. Start reading at
 * {@link io.sluice.storage.local.aborted.AbortedTransactions}, which changes under the log's append lock; who searches takes
 * an {@link io.sluice.storage.local.aborted.AbortedView} of it, on any thread and without a lock.
 */
@NullMarked
package io.sluice.storage.local.aborted;

import org.jspecify.annotations.NullMarked;
