/**
 * The seam between serving and storing: {@link io.sluice.storage.log.PartitionLog} and what it speaks in. The local engine and, in a cluster, the ledger engine stand behind it. Nothing here blocks.
 */
@NullMarked
package io.sluice.storage.log;

import org.jspecify.annotations.NullMarked;
