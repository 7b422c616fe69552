/**
 * What one log holds: {@link io.sluice.storage.local.content.LogContents} puts batches into segments and keeps producers,
 * epochs and offsets in step with them. Appends and replay both go through it, so both end in the same state. {@link
 * io.sluice.storage.local.content.Catalogue} is the file that keeps the contents of all logs at their last checkpoint.
 * Changes are for the thread that holds the log's append lock; the offsets and the list of segments may be read anywhere.
 */
@NullMarked
package io.sluice.storage.local.content;

import org.jspecify.annotations.NullMarked;
