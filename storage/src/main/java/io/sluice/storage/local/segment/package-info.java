/**
 * Files of batches: one {@link io.sluice.storage.local.segment.Segment} holds a run of a log's offsets, the last one is
 * appended to. {@link io.sluice.storage.local.segment.OpenFiles} bounds how many are open. Offsets are found through a
 * sparse {@link io.sluice.storage.local.segment.SegmentIndex}, which can always be made again from the segment. Writes are
 * for the thread that holds the log's append lock, reads for every thread that may block on a disk.
 */
@NullMarked
package io.sluice.storage.local.segment;

import org.jspecify.annotations.NullMarked;
