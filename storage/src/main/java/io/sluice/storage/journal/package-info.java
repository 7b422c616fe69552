/**
 * The one write-ahead file that all partitions of a data directory share, and its group commit. Start with {@link io.sluice.storage.journal.Journal}.
 */
@NullMarked
package io.sluice.storage.journal;

import org.jspecify.annotations.NullMarked;
