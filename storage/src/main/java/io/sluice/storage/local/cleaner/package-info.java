/**
 * Compaction: for logs with {@code cleanup.policy=compact} the newest record of each key stays. {@link
 * io.sluice.storage.local.cleaner.LogCleaning} cleans one log once: it notes the newest offset of every key in a {@link
 * io.sluice.storage.local.cleaner.KeyMap} of bounded size, writes the segments anew without what is older, and hands them
 * over to be put in place. Runs on the cleaner's executor, which may block on the disk; appends and reads go on.
 */
@NullMarked
package io.sluice.storage.local.cleaner;

import org.jspecify.annotations.NullMarked;
