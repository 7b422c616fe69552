package io.sluice.storage.local;

import io.netty.buffer.Unpooled;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetOutOfRangeException;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Moves a log's start: for DeleteRecords and for retention. The new start is in the journal, durably, before a file goes,
 * so that a crash never leaves a log that begins where its files do not.
 */
final class LogTrim {
    private final LogContext context;
    private final LocalPartitionLog log;
    private final CompletableFuture<Long> done = new CompletableFuture<>();

    private LogTrim(LogContext context, LocalPartitionLog log) {
        this.context = context;
        this.log = log;
    }

    /** {@link PartitionLog#trim}. */
    static CompletionStage<Long> trim(LogContext context, LocalPartitionLog log, long offset) {
        LogTrim trim = new LogTrim(context, log);
        trim.start(offset);
        return trim.done;
    }

    private void start(long offset) {
        LogContents contents = log.contents();
        List<Segment> dropped;
        long position;
        long target;
        synchronized (contents) {
            long visible = log.visibleOffset();
            target = offset == -1 ? visible : offset;
            if (log.state() != LogState.SERVING) {
                done.completeExceptionally(new IOException("the partition is " + log.state()));
                return;
            }
            if (target < 0 || target > visible) {
                done.completeExceptionally(new OffsetOutOfRangeException(target, contents.logStartOffset(), visible));
                return;
            }
            if (target <= contents.logStartOffset()) {
                completeWhenDurable(contents.logStartOffset(), log.trimPosition(), List.of());
                return;
            }
            if (!context.journal().tryReserveForCheckpoint(0)) { // it makes room, so it need not wait for any
                retryLater(offset);
                return;
            }
            dropped = contents.onLogStart(target);
            log.checkpointState().onMetaChange();
            position = context.journal()
                    .append(
                            JournalEntryKind.LOG_START_OFFSET,
                            contents.identity().logId(),
                            target,
                            Unpooled.EMPTY_BUFFER);
            log.setTrimPosition(position);
            if (contents.memory() && !dropped.isEmpty()) {
                log.checkpointState().deferDeletion(dropped);
                dropped = List.of();
            }
        }
        log.tellMoved();
        completeWhenDurable(target, position, dropped);
    }

    private void completeWhenDurable(long target, long position, List<Segment> dropped) {
        context.journalWait().await(context.journal(), position, cause -> onDurable(target, dropped, cause));
    }

    private void retryLater(long offset) {
        Journal journal = context.journal();
        if (context.isEnding()) {
            done.completeExceptionally(new IOException("the journal cannot be written any more"));
            return;
        }
        journal.awaitCapacity(() -> context.runInBackground(() -> start(offset)));
    }

    private void onDurable(long target, List<Segment> dropped, @Nullable IOException cause) {
        if (cause != null) {
            done.completeExceptionally(cause);
            return;
        }
        if (!dropped.isEmpty()) {
            context.runInBackground(() -> Deletable.deleteAll(dropped));
        }
        done.complete(target);
    }
}
