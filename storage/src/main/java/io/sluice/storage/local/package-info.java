/**
 * The engine of one node behind {@link io.sluice.storage.log.PartitionLogStore}: segments of each log, one journal for
 * all. Start reading at {@link io.sluice.storage.local.LocalPartitionLogStore} (start, open, delete), then {@link
 * io.sluice.storage.local.LocalPartitionLog} (one log). A batch's way in is LogAppender; out, LogReader.
 *
 * <p>Threads: appends and tail reads run on the caller's thread; flushes arrive on the journal's flush thread; what may
 * wait for the disk runs on the reader pool (reads behind the tail, searches) or on the maintenance executor
 * (checkpoints, retention, deletion, compaction). The append lock of a log is the monitor of its contents; it is held for
 * one write to the page cache and never across a flush or a callback.
 */
@NullMarked
package io.sluice.storage.local;

import org.jspecify.annotations.NullMarked;
