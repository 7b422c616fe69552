package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.flush.CompletionSink;
import io.sluice.storage.local.flush.DurableProgress;
import io.sluice.storage.local.flush.FlushDispatcher;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Appended;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.AppendResult.Refused;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.EpochEndOffset;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.ReadHandle;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.VisibilityListener;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One log of the local engine.
 *
 * <p>The append lock is the monitor of {@link LogContents}; what it guards is written there. Durable progress has a lock
 * of its own. State, epoch and settings are volatile and change under the append lock.
 */
final class LocalPartitionLog implements PartitionLog, FlushDispatcher.FlushedLog {
    private static final AtomicIntegerFieldUpdater<LocalPartitionLog> QUEUED =
            AtomicIntegerFieldUpdater.newUpdater(LocalPartitionLog.class, "queued");

    private final LogContext context;
    private final LogContents contents;
    private final LogAppender appender;
    private final LogReader reader;
    private final DurableProgress progress;
    private final LogListeners listeners = new LogListeners();
    private final CheckpointState checkpointState;
    private final MemoryFlush memoryFlush;

    private long trimPosition;
    private long durabilityTurn;
    private long reportedDroppedProducers;
    private long durabilityNote;
    private volatile LogState state = LogState.RECOVERING;
    private volatile int leaderEpoch = -1;
    private volatile LogSettings settings;
    private volatile boolean journaled;

    @SuppressWarnings("UnusedVariable") // read and written through QUEUED
    private volatile int queued;

    /** A log whose contents have been recovered. */
    LocalPartitionLog(LogContext context, LogContents contents, CheckpointState checkpointState, LogSettings settings) {
        this.context = context;
        this.contents = contents;
        this.checkpointState = checkpointState;
        this.settings = settings;
        this.journaled = !contents.memory();
        this.appender = new LogAppender(context, contents);
        this.reader = new LogReader(context, this, contents);
        this.progress = new DurableProgress(this, contents.endOffset());
        this.memoryFlush = new MemoryFlush(context, this);
    }

    /** Its contents: their monitor is the append lock. */
    LogContents contents() {
        return contents;
    }

    /** What the next checkpoint has to do for it; guarded by the append lock. */
    CheckpointState checkpointState() {
        return checkpointState;
    }

    TopicConfig config() {
        return settings.resolved();
    }

    LogSettings settings() {
        return settings;
    }

    /** Whether appends go through the journal. */
    boolean isJournaled() {
        return journaled;
    }

    LogAppender appender() {
        return appender;
    }

    LogReader reader() {
        return reader;
    }

    LogContext context() {
        return context;
    }

    // ---- life ----

    /**
     * Serves from now on under this epoch, which must have been noted in the contents. One that bypassed the journal and
     * shall no longer do so is held until {@link DurabilitySwitch} is done, from the first append on.
     *
     * @throws IOException when nothing is appended any more, because a write has failed somewhere
     */
    void toServing(int epoch) throws IOException {
        IOException fenced = becomeServing(epoch);
        if (fenced != null) {
            CompletionSink sink = new CompletionSink();
            onFlushFailure(fenced, sink);
            sink.dispatch();
            throw new IOException("a write failed before; restart the node to recover", fenced);
        }
        listeners.onStateChange(this);
    }

    /** Returns why it must not: whoever fences afterwards takes the append lock of every log, this one included. */
    private @Nullable IOException becomeServing(int epoch) {
        synchronized (contents) {
            IOException fenced = context.fenceCause();
            if (fenced != null || state == LogState.DELETED) {
                return fenced;
            }
            boolean toDisk = contents.memory() && !config().memoryDurability();
            if (toDisk) {
                progress.hold();
            }
            journaled = !contents.memory() || toDisk;
            leaderEpoch = epoch;
            state = LogState.SERVING;
            return null;
        }
    }

    /** Where the journal has the newest log start offset. Guarded by the append lock. */
    long trimPosition() {
        return trimPosition;
    }

    void setTrimPosition(long position) {
        trimPosition = position;
    }

    /** Producers forgotten for want of room that the log has been told of; for the thread of the upkeep. */
    long reportedDroppedProducers() {
        return reportedDroppedProducers;
    }

    void setReportedDroppedProducers(long dropped) {
        reportedDroppedProducers = dropped;
    }

    /** Where the journal has the newest note of a changed durability. Guarded by the append lock. */
    long durabilityNote() {
        return durabilityNote;
    }

    void setDurabilityNote(long position) {
        durabilityNote = position;
    }

    /** A change of durability begins: callbacks of the ones before have nothing to say any more. Guarded by the append lock. */
    long nextDurabilityTurn() {
        return ++durabilityTurn;
    }

    long durabilityTurn() {
        return durabilityTurn;
    }

    /** New settings from now on. Where durability changes, appends go the new way once {@link DurabilitySwitch} is done. */
    void configure(LogSettings newSettings) {
        settings = newSettings;
        if (state == LogState.SERVING) {
            new DurabilitySwitch(context, this).run();
        }
    }

    DurableProgress progress() {
        return progress;
    }

    /** Whether appends go through the journal from now on; for the holder of the append lock. */
    void setJournaled(boolean throughJournal) {
        journaled = throughJournal;
    }

    /** Takes note of what the journal has made durable meanwhile. */
    void advanceToFlushed() {
        CompletionSink sink = new CompletionSink();
        if (progress.advance(context.journal().durablePosition(), sink)) {
            listeners.onVisible(this);
        }
        sink.dispatch();
    }

    /** Recovery has found more than was known when the log was made: all of it is in the segments. */
    void onRecoveredTail() {
        CompletionSink sink = new CompletionSink();
        progress.advanceTo(contents.endOffset(), sink);
        contents.producers().transactions().onVisible(visibleOffset());
        sink.dispatch();
    }

    /** Refuses everything from now on; waiters hear that the outcome is unknown. */
    void toDeleted() {
        synchronized (contents) {
            state = LogState.DELETED;
            contents.producers().clear();
        }
        failWaiters(new IOException(contents.identity().displayName() + " was deleted"));
        listeners.onStateChange(this);
    }

    /** It could not be opened. One that serves, and was to be opened again, goes on. */
    void toUnopened() {
        synchronized (contents) {
            if (state != LogState.RECOVERING) {
                return;
            }
            state = LogState.FAILED;
        }
        listeners.onStateChange(this);
    }

    /** The store is closing: nothing is appended any more. */
    void toStopped() {
        synchronized (contents) {
            if (state == LogState.SERVING) {
                state = LogState.SEALED;
            }
        }
    }

    private void failWaiters(IOException cause) {
        CompletionSink sink = new CompletionSink();
        progress.fail(cause, sink);
        sink.dispatch();
    }

    // ---- append ----

    @Override
    public AppendResult append(ByteBuf batch, int epoch, AppendOrigin origin, long guard) {
        AppendResult result;
        long position;
        long end;
        IOException torn;
        synchronized (contents) {
            Refused refused = gate(epoch, origin);
            if (refused != null) {
                return refused;
            }
            result = appender.append(batch, epoch, origin, guard, config(), journaled);
            torn = appender.torn();
            position = appender.journalPosition();
            end = contents.endOffset();
            if (result instanceof Appended) {
                noteForCheckpoint();
                context.onAppending(this);
                if (position != LogAppender.NO_POSITION) {
                    progress.onAppend(position, end);
                }
            }
        }
        if (torn != null) {
            context.fence(torn); // not under the append lock: it takes those of other logs and calls listeners
        }
        if (!(result instanceof Appended)) {
            return result;
        }
        if (position == LogAppender.NO_POSITION) {
            onMemoryAppend(end);
        } else {
            onJournaled(position);
        }
        contents.producers().transactions().onVisible(visibleOffset());
        context.onAppended(batch.readableBytes());
        return result;
    }

    @Override
    public long beginVerification(long producerId, short producerEpoch, int firstSequence, boolean raisesEpoch) {
        synchronized (contents) {
            return contents.producers()
                    .beginVerification(producerId, producerEpoch, firstSequence, raisesEpoch, context.steadyMillis());
        }
    }

    @Override
    public void endVerification(long producerId, long guard) {
        synchronized (contents) {
            contents.producers().endVerification(producerId, guard);
        }
    }

    /** A first segment needs no note: replay begins one where a log has none. */
    private void noteForCheckpoint() {
        if (appender.rolled() && contents.segments().length > 1) {
            checkpointState.onStructureChange();
        } else {
            checkpointState.onAppend();
        }
    }

    private @Nullable Refused gate(int epoch, AppendOrigin origin) {
        if (state != LogState.SERVING) {
            return notServing();
        }
        if (epoch != leaderEpoch) {
            return new Refused(Refusal.FENCED, "leader epoch is " + leaderEpoch + ", not " + epoch);
        }
        if (origin == AppendOrigin.CLIENT && context.isLowOnSpace()) {
            return new Refused(
                    Refusal.STORAGE, "less than sluice.low.space.bytes is free on the device of the data directory");
        }
        return null;
    }

    private Refused notServing() {
        return switch (state) {
            case DELETED -> new Refused(Refusal.DELETED, "the partition was deleted");
            case FAILED ->
                new Refused(
                        Refusal.STORAGE,
                        "the log could not be opened or written, the node's log says why; restart the node to recover");
            default -> new Refused(Refusal.NOT_SERVING, "the partition is " + state);
        };
    }

    private void onMemoryAppend(long end) {
        CompletionSink sink = new CompletionSink();
        if (progress.onUnjournaledAppend(end, sink)) {
            listeners.onVisible(this);
        }
        sink.dispatch();
        memoryFlush.onAppend(end);
    }

    /** The flush that makes the append durable may be over already: then nobody else would notice. */
    private void onJournaled(long position) {
        if (QUEUED.compareAndSet(this, 0, 1)) {
            context.dispatcher().add(this);
        }
        long durable = context.journal().durablePosition();
        if (durable >= position) {
            context.dispatcher().onDurable(durable);
        }
    }

    // ---- durability ----

    @Override
    public void clearQueued() {
        QUEUED.set(this, 0);
    }

    @Override
    public boolean requeue() {
        return progress.isPending() && QUEUED.compareAndSet(this, 0, 1);
    }

    @Override
    public boolean onFlush(long durablePosition, CompletionSink sink) {
        return progress.advance(durablePosition, sink);
    }

    @Override
    public void onFlushFailure(IOException cause, CompletionSink sink) {
        synchronized (contents) {
            if (state == LogState.DELETED || state == LogState.FAILED) {
                return;
            }
            state = LogState.FAILED;
        }
        progress.fail(cause, sink);
        listeners.onStateChange(this);
    }

    @Override
    public void onMoved() {
        listeners.onVisible(this);
    }

    /** The visible offset, the last stable offset or the log start offset has moved by other means than a flush. */
    void tellMoved() {
        listeners.onVisible(this);
    }

    @Override
    public void awaitDurable(long offset, DurabilityListener listener) {
        CompletionSink sink = new CompletionSink();
        progress.await(offset, listener, sink);
        sink.dispatch();
    }

    // ---- reading ----

    @Override
    public ReadHandle read(ReadRequest request, ReadListener listener) {
        return reader.read(request, listener);
    }

    @Override
    public void findOffset(OffsetQuery query, Consumer<OffsetQuery.Result> listener) {
        new OffsetFinder(context, this, contents, query).find(listener);
    }

    @Override
    public EpochEndOffset endOffsetForEpoch(int epoch) {
        return contents.epochs().endOffsetFor(epoch, contents.endOffset());
    }

    // ---- offsets ----

    @Override
    public PartitionId id() {
        return contents.identity().partition();
    }

    @Override
    public LogState state() {
        return state;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long logStartOffset() {
        return contents.logStartOffset();
    }

    @Override
    public long endOffset() {
        return contents.endOffset();
    }

    @Override
    public long durableOffset() {
        return progress.durableOffset();
    }

    @Override
    public long visibleOffset() {
        return progress.durableOffset();
    }

    @Override
    public long lastStableOffset() {
        long stable = contents.producers().transactions().stableOffset(visibleOffset());
        return Math.max(stable, Math.min(logStartOffset(), visibleOffset()));
    }

    // ---- changes from outside ----

    @Override
    public CompletionStage<Long> trim(long offset) {
        return LogTrim.trim(context, this, offset);
    }

    @Override
    public CompletionStage<Long> seal(int epoch) {
        long end;
        synchronized (contents) {
            if (state != LogState.SERVING && state != LogState.FROZEN && state != LogState.SEALED) {
                return CompletableFuture.failedFuture(new IOException("the partition is " + state));
            }
            state = LogState.SEALED;
            end = contents.endOffset();
        }
        listeners.onStateChange(this);
        CompletableFuture<Long> sealed = new CompletableFuture<>();
        awaitDurable(end, DurableStage.completing(sealed, end));
        return sealed;
    }

    @Override
    public void addVisibilityListener(VisibilityListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeVisibilityListener(VisibilityListener listener) {
        listeners.remove(listener);
    }

    @Override
    public long sizeInBytes() {
        return contents.sizeInBytes();
    }

    @Override
    public List<ProducerSnapshot> activeProducers() {
        synchronized (contents) {
            return contents.producers().snapshots();
        }
    }

    @Override
    public String toString() {
        return "LocalPartitionLog(" + contents + ", " + state + ", epoch " + leaderEpoch + ", durable "
                + durableOffset() + ")";
    }
}
