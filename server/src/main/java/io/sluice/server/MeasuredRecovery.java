package io.sluice.server;

import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import java.io.IOException;

/** A journal's recovery that tells how far its replay has got. */
final class MeasuredRecovery implements JournalRecovery {
    private final JournalRecovery delegate;
    private final Progress progress;

    /** Hears of progress, in bytes of the journal, on the thread that replays. */
    @FunctionalInterface
    interface Progress {
        void onReplayed(long done, long total);
    }

    MeasuredRecovery(JournalRecovery delegate, Progress progress) {
        this.delegate = delegate;
        this.progress = progress;
    }

    @Override
    public boolean isNew() {
        return delegate.isNew();
    }

    @Override
    public boolean endedCleanly() {
        return delegate.endedCleanly();
    }

    @Override
    public long releasedPosition() {
        return delegate.releasedPosition();
    }

    @Override
    public long endPosition() {
        return delegate.endPosition();
    }

    @Override
    public void replay(EntryVisitor visitor) throws IOException {
        long start = delegate.releasedPosition();
        long total = delegate.endPosition() - start;
        delegate.replay((kind, logId, argument, payload, endPosition) -> {
            visitor.onEntry(kind, logId, argument, payload, endPosition);
            progress.onReplayed(endPosition - start, total);
        });
    }

    @Override
    public Journal start(JournalResources resources) throws IOException {
        return delegate.start(resources);
    }
}
