package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.content.TailScan;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Opens one log under a leader epoch: recovers the tail of one that bypassed the journal, notes the epoch in the journal,
 * and serves. The epoch's entry comes before every batch appended under it, so nobody has to wait for it.
 */
final class LogOpening {
    private static final long NO_ROOM = -1;

    private final LogContext context;
    private final LocalPartitionLog log;
    private final int leaderEpoch;
    private final CompletableFuture<PartitionLog> opened = new CompletableFuture<>();

    LogOpening(LogContext context, LocalPartitionLog log, int leaderEpoch) {
        this.context = context;
        this.log = log;
        this.leaderEpoch = leaderEpoch;
    }

    /** What a log that goes through the journal has behind its end was never acknowledged: a scan would take it for more. */
    CompletionStage<PartitionLog> run() {
        boolean scan = log.state() == LogState.RECOVERING && log.contents().memory();
        if (scan) {
            context.runInBackground(() -> attempt(this::scanThenServe));
        } else {
            attempt(this::serve);
        }
        return opened;
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Whatever goes wrong, somebody waits for the outcome: a start waits for all logs. */
    @SuppressWarnings("checkstyle:IllegalCatch") // a defect here must not leave its waiter hanging
    private void attempt(Step step) {
        try {
            step.run();
        } catch (IOException | RuntimeException | Error e) {
            fail(e);
        }
    }

    /** The log will not serve in this run: whoever waits for it must not take it for one that still recovers. */
    private void fail(Throwable cause) {
        log.toUnopened();
        opened.completeExceptionally(cause);
    }

    private void scanThenServe() throws IOException {
        LogContents contents = log.contents();
        synchronized (contents) {
            if (log.state() != LogState.DELETED) {
                recoverTail(contents);
            }
        }
        serve();
    }

    private void recoverTail(LogContents contents) throws IOException {
        TailScan scan =
                new TailScan(contents, context.openFiles(), log.config().indexIntervalBytes(), context.steadyMillis());
        long end = contents.endOffset();
        List<Segment> dropped = scan.run();
        if (contents.endOffset() > end || !dropped.isEmpty()) {
            log.checkpointState().onStructureChange();
            log.onRecoveredTail();
        }
        if (!dropped.isEmpty()) {
            log.checkpointState().deferDeletion(dropped); // the next scan needs them until the catalogue knows
        }
        Segment last = contents.active();
        if (last != null && last.cutTail()) {
            last.forceEnd(); // or the next scan might find it behind what is appended from now on
        }
    }

    private boolean wantsMemory() {
        return log.config().memoryDurability();
    }

    private void serve() throws IOException {
        LogContents contents = log.contents();
        long position;
        synchronized (contents) {
            if (log.state() == LogState.DELETED) {
                opened.completeExceptionally(new IOException("the partition was deleted"));
                return;
            }
            position = noteEpoch(contents);
        }
        if (position == NO_ROOM) {
            retryLater();
        } else if (contents.memory()) {
            context.journalWait().await(context.journal(), position, this::onEpochDurable);
        } else {
            toServing();
        }
    }

    /** Without its entry a log that bypasses the journal would not be known after a crash. */
    private void onEpochDurable(@Nullable IOException failure) {
        if (failure == null) {
            attempt(this::toServing);
        } else {
            fail(failure);
        }
    }

    /** A log that was there goes on as it was, and changes its durability as one that serves does. */
    private void toServing() throws IOException {
        log.toServing(leaderEpoch);
        new DurabilitySwitch(context, log).run();
        opened.complete(log);
    }

    /** Notes epoch and durability in the journal where they are new; returns where, or {@link #NO_ROOM}. */
    private long noteEpoch(LogContents contents) throws IOException {
        int latest = contents.epochs().latest();
        if (leaderEpoch < latest) { // its batches would be out of order, and a replay would take them for a lost end's
            throw new IOException(contents.identity().displayName() + " cannot be served under leader epoch "
                    + leaderEpoch + ": it was served under " + latest + " before");
        }
        boolean isNew = contents.active() == null && latest < 0;
        boolean memory = isNew ? wantsMemory() : contents.memory();
        boolean known = leaderEpoch == latest && memory == contents.memory();
        Journal journal = context.journal();
        if (known) {
            return journal.durablePosition();
        }
        ByteBuf payload = Unpooled.buffer();
        LogRecovery.writeEpochPayload(contents, contents.endOffset(), memory, payload);
        int size = payload.readableBytes();
        if (!journal.tryReserve(size)) {
            return NO_ROOM;
        }
        contents.epochs().onEpoch(leaderEpoch, contents.endOffset());
        contents.setMemory(memory);
        log.checkpointState().onMetaChange();
        return journal.append(JournalEntryKind.LEADER_EPOCH, contents.identity().logId(), leaderEpoch, payload);
    }

    private void retryLater() {
        Journal journal = context.journal();
        if (context.isEnding()) {
            fail(new IOException("the journal cannot be written any more"));
            return;
        }
        journal.awaitCapacity(() -> context.runInBackground(() -> attempt(this::serve)));
    }
}
