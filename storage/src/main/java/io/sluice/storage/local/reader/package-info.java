/**
 * Reading a log: {@link io.sluice.storage.local.reader.SegmentReader} finds, checks and cuts batches of one segment, {@link
 * io.sluice.storage.local.reader.CatchUpReaders} bounds the reads that may wait for the disk. Every batch that leaves as
 * memory has had its CRC checked; a region of a file leaves only after it was checked once since the process started.
 */
@NullMarked
package io.sluice.storage.local.reader;

import org.jspecify.annotations.NullMarked;
