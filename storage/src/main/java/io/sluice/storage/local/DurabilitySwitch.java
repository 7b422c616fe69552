package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.error.FileFailures;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes a log that serves between {@code sluice.durability=disk} and {@code memory}, when its settings have changed.
 *
 * <p>To memory: what earlier runs left behind the end of the log goes, and that is forced, since a start will scan; then a
 * note in the journal, behind the last batch that goes through it; once that is durable, batches bypass it.
 * What went through it and is in no forced segment is forced by the next checkpoint, which lets the journal go.
 *
 * <p>To disk: batches go through the journal from now on, but none is acknowledged before the segments, which hold what
 * bypassed it, have been forced and the catalogue knows; then a note in the journal, so that a start no longer scans.
 *
 * <p>Settings may change again before a note is durable. The newest note counts, as it does at a start; where it is not
 * what the settings want by then, the way back begins, and no batch bypasses the journal in between.
 */
final class DurabilitySwitch {
    private static final Logger LOG = LoggerFactory.getLogger(DurabilitySwitch.class);
    private static final long RETRY_MILLIS = 1000;
    private static final int RETRIES_BETWEEN_WARNINGS = 60;

    private final LogContext context;
    private final LocalPartitionLog log;
    private final LogContents contents;
    private final AtomicInteger failures = new AtomicInteger();

    DurabilitySwitch(LogContext context, LocalPartitionLog log) {
        this.context = context;
        this.log = log;
        this.contents = log.contents();
    }

    void run() {
        boolean toMemory = log.config().memoryDurability();
        long turn;
        synchronized (contents) {
            if (toMemory == contents.memory() && toMemory != log.isJournaled()) {
                return;
            }
            turn = log.nextDurabilityTurn();
            if (!toMemory) {
                log.progress().hold();
                log.setJournaled(true);
                log.checkpointState().onStructureChange();
            }
        }
        if (toMemory) {
            context.runInBackground(() -> settleThenNote(turn));
        } else {
            context.checkpointAfresh().whenComplete((done, failure) -> onForced(failure, turn));
        }
    }

    /** A start after a power cut must find nothing of earlier runs behind what this one has written. */
    private void settleThenNote(long turn) {
        try {
            Segment last;
            synchronized (contents) {
                if (isOver(turn, true)) {
                    return;
                }
                last = contents.cutBehindEnd();
            }
            contents.forceEnd(last);
        } catch (IOException e) {
            onForced(e, turn);
            return;
        }
        note(true, turn);
    }

    private void onForced(@Nullable Throwable failure, long turn) {
        if (failure == null) {
            note(false, turn);
        } else if (log.state() == LogState.SERVING) {
            maybeWarn(failure);
            context.runInBackgroundAfter(RETRY_MILLIS, this::run);
        }
    }

    /** The first time, and once a minute: until it succeeds the log is not what its settings say. */
    private void maybeWarn(Throwable failure) {
        if (failures.getAndIncrement() % RETRIES_BETWEEN_WARNINGS == 0) {
            Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : failure;
            LOG.atWarn()
                    .setMessage("sluice.durability of a log cannot be changed yet; it is tried again every second")
                    .addKeyValue("log", contents.identity().displayName())
                    .addKeyValue("wanted", log.config().memoryDurability() ? "memory" : "disk")
                    .addKeyValue("directory", contents.directory().path())
                    .addKeyValue("reason", cause instanceof IOException io ? FileFailures.text(io) : cause.toString())
                    .addKeyValue("failures", failures.get())
                    .log();
        }
    }

    /** What was forced for an earlier change says nothing of what was appended since. For the holder of the append lock. */
    private boolean isOver(long turn, boolean toMemory) {
        return log.state() != LogState.SERVING
                || log.config().memoryDurability() != toMemory
                || log.durabilityTurn() != turn;
    }

    private void note(boolean memory, long turn) {
        Journal journal = context.journal();
        long position;
        synchronized (contents) {
            if (isOver(turn, memory)) {
                return;
            }
            ByteBuf payload = Unpooled.buffer();
            LogRecovery.writeEpochPayload(contents, contents.endOffset(), memory, payload);
            if (!journal.tryReserve(payload.readableBytes())) {
                if (!context.isEnding()) {
                    journal.awaitCapacity(() -> context.runInBackground(() -> note(memory, turn)));
                }
                return;
            }
            long logId = contents.identity().logId();
            position = journal.append(JournalEntryKind.LEADER_EPOCH, logId, log.leaderEpoch(), payload);
            log.setDurabilityNote(position);
            contents.setMemory(memory); // a checkpoint that lets the note go has it in the catalogue
            log.checkpointState().onMetaChange();
        }
        context.journalWait().await(journal, position, failure -> onNoted(memory, position, failure));
    }

    private void onNoted(boolean memory, long position, @Nullable IOException failure) {
        if (failure != null) {
            return;
        }
        boolean overtaken;
        boolean released;
        synchronized (contents) {
            if (position != log.durabilityNote()) {
                return; // a newer one decides
            }
            overtaken = log.config().memoryDurability() != memory;
            // On disk it is now, whatever the settings want meanwhile: the way back may wait, and be given up.
            released = !overtaken || !memory;
            if (released) {
                log.setJournaled(!memory);
                log.checkpointState().onStructureChange();
                log.progress().release();
            }
        }
        if (released) {
            log.advanceToFlushed();
        }
        if (overtaken) {
            run();
        }
    }
}
