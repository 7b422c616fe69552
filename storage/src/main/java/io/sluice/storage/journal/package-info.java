/**
 * The one write-ahead file that all partitions of a data directory share, and its group commit.
 *
 * <p>Start with {@link io.sluice.storage.journal.Journal}, what the engine sees while it runs, and {@link
 * io.sluice.storage.journal.JournalRecovery}, what it sees before. Then {@code GroupCommitJournal} (appenders and the flush
 * thread's turn), {@code BlockWriter}, {@code JournalFiles} and {@code SpareFiles} on the way out, and {@code FileRecovery}
 * and {@code BlockReader} on the way back in. docs/formats/journal.md has the bytes.
 *
 * <p>Threads: appenders on any thread, under one short lock; one flush thread; a background executor that prepares files.
 */
@NullMarked
package io.sluice.storage.journal;

import org.jspecify.annotations.NullMarked;
