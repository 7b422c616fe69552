/**
 * From a flush of the journal to those who wait for it: {@link io.sluice.storage.local.flush.DurableProgress} keeps, for
 * one log, which journal position makes which offset durable and who waits; {@link
 * io.sluice.storage.local.flush.FlushDispatcher} goes through the logs that a flush concerns and hands each executor one
 * task. Progress is guarded by a lock of its own, held for nanoseconds, so that the flush thread never waits for an append.
 */
@NullMarked
package io.sluice.storage.local.flush;

import org.jspecify.annotations.NullMarked;
