package io.sluice.storage.local;

import io.netty.buffer.Unpooled;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Deletable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes one log whose state says already that it is deleted: an entry in the journal ends it for every later start; once
 * that is durable the directory is renamed and its files are deleted; a reader that has one open reads on, and the space is free when
 * it lets go.
 */
final class LogDeletion {
    private static final Logger LOG = LoggerFactory.getLogger(LogDeletion.class);

    private final LocalLogs logs;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final Path parent;

    LogDeletion(LocalLogs logs, LocalPartitionLog log, Path parent) {
        this.logs = logs;
        this.log = log;
        this.contents = log.contents();
        this.parent = parent;
    }

    void run() {
        noteInJournal();
    }

    private void noteInJournal() {
        Journal journal = logs.journal();
        if (journal.tryReserveForCheckpoint(0)) { // it makes room, so it need not wait for any
            long logId = contents.identity().logId();
            long position = logs.checkpointer()
                    .onDeleted(logId, () -> journal.append(JournalEntryKind.DELETE, logId, 0, Unpooled.EMPTY_BUFFER));
            logs.onDeletionNoted(log);
            logs.journalWait().await(journal, position, this::onDurable);
        } else if (!logs.isEnding()) {
            journal.awaitCapacity(() -> logs.runInBackground(this::noteInJournal));
        }
    }

    private void onDurable(@Nullable IOException failure) {
        if (failure == null) {
            logs.runInBackground(this::deleteFiles);
        }
    }

    private void deleteFiles() {
        FileSystem fileSystem = contents.directory().fileSystem();
        Path deleted = parent.resolve(contents.identity().deletedDirectoryName());
        try {
            contents.directory().renameTo(deleted);
            Deletable.deleteAll(List.of(contents.segments()));
            fileSystem.deleteTree(deleted);
        } catch (IOException e) {
            LOG.warn("a deleted log's files were not all deleted; the next start tries again directory={}", deleted, e);
        }
    }
}
