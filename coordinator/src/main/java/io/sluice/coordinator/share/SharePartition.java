package io.sluice.coordinator.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.coordinator.share.Span.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one partition as one share group consumes them (KIP-932): which may be delivered, who holds which and until
 * when, how many times each was delivered, and which are settled. What becomes of the records is in {@link Span}.
 *
 * <pre>
 * LOADING ---> ACTIVE ---> LOST
 *    '---------------------^
 * </pre>
 *
 * <p>An acknowledgement is answered when what it says is durable, and takes effect at the same moment; until then the records
 * count as held. There is one write at a time: what comes meanwhile goes together into the next one. What is lost in a crash is
 * who held what: those records are delivered again, with the count that was kept.
 *
 * <p>Threads: safe on every thread; the lock is held for moments, and never while others are called.
 */
public final class SharePartition {
    private enum Status {
        LOADING,
        ACTIVE,
        LOST
    }

    private static final Logger LOG = LoggerFactory.getLogger(SharePartition.class);

    /** How long until a write that failed is tried again for changes that nobody waits for. */
    private static final long REWRITE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final SharePartitionStore store;
    private final Supplier<ShareGroupSettings> settings;
    private final DeadLetters deadLetters;
    private final SharePartitionListener listener;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor executor;

    private Status status = Status.LOADING;
    private Errors lostWith = Errors.NONE;
    private InFlight inFlight = new InFlight(0);
    private int stateEpoch;
    private long savedStartOffset = SharePartitionStore.UNINITIALIZED;
    private List<Settlement> toWrite = new ArrayList<>();
    private boolean writing;
    private Scheduler.@Nullable Timer expiry;
    private long expiryNanos;

    /** What time it is, how to wait, and where to go on after waiting. */
    public record Time(Clock clock, Scheduler scheduler, Executor executor) {}

    /**
     * A share partition that has to be loaded.
     *
     * @param name for the log
     * @param settings the group's, asked each time
     */
    public SharePartition(
            String name,
            SharePartitionStore store,
            Supplier<ShareGroupSettings> settings,
            DeadLetters deadLetters,
            SharePartitionListener listener,
            Time time) {
        this.name = name;
        this.store = store;
        this.settings = settings;
        this.deadLetters = deadLetters;
        this.listener = listener;
        this.clock = time.clock();
        this.scheduler = time.scheduler();
        this.executor = time.executor();
    }

    /** Where a group begins that has no state yet. */
    @FunctionalInterface
    public interface FirstOffset {
        /** Completes with the offset, or fails. */
        CompletionStage<Long> find();
    }

    // ---- Loading

    /**
     * Reads what is kept. A group that has not begun gets its first offset, which is kept before anything is delivered, so that
     * it stays what it was.
     *
     * @param logEndOffset where the log ends: a state beyond it is of a log that has lost its end
     * @return NONE, or the error to answer
     */
    public CompletionStage<Errors> load(FirstOffset firstOffset, long logEndOffset) {
        return store.read().thenCompose(loaded -> {
            if (loaded.error() != Errors.NONE) {
                return CompletableFuture.completedFuture(lose(loaded.error()));
            }
            return loaded.startOffset() == SharePartitionStore.UNINITIALIZED
                    ? begin(firstOffset, loaded.stateEpoch())
                    : CompletableFuture.completedFuture(resume(loaded, logEndOffset));
        });
    }

    private CompletionStage<Errors> begin(FirstOffset firstOffset, int epoch) {
        return firstOffset
                .find()
                .thenCompose(offset -> store.write(new SharePartitionStore.Change(epoch, offset, 0, List.of()))
                        .thenApply(error ->
                                error == Errors.NONE ? activate(new InFlight(offset), epoch, offset) : lose(error)))
                .exceptionally(failure -> {
                    LOG.warn("{}: the first offset could not be found", name, failure);
                    return lose(Errors.NOT_LEADER_OR_FOLLOWER);
                });
    }

    private Errors resume(SharePartitionStore.Loaded loaded, long logEndOffset) {
        if (loaded.startOffset() > logEndOffset) {
            LOG.warn(
                    "{}: the group had got to offset {}, but the log ends at {}: it goes on there",
                    name,
                    loaded.startOffset(),
                    logEndOffset);
            return activate(new InFlight(logEndOffset), loaded.stateEpoch(), loaded.startOffset());
        }
        List<SavedRange> inside = loaded.ranges().stream()
                .filter(range -> range.firstOffset() < logEndOffset)
                .map(range -> range.lastOffset() < logEndOffset
                        ? range
                        : new SavedRange(range.firstOffset(), logEndOffset - 1, range.state(), range.deliveryCount()))
                .toList();
        return activate(InFlight.load(loaded.startOffset(), inside), loaded.stateEpoch(), loaded.startOffset());
    }

    private Errors activate(InFlight loaded, int epoch, long savedStart) {
        Effects effects = new Effects();
        synchronized (this) {
            inFlight = loaded;
            stateEpoch = epoch;
            savedStartOffset = savedStart;
            status = Status.ACTIVE;
            Settlement unfinished = new Settlement();
            loaded.all().stream().filter(span -> span.target != null).forEach(unfinished.spans::add);
            submit(unfinished, effects);
        }
        effects.run();
        return Errors.NONE;
    }

    // ---- Acquiring

    /** Where to read for the next member: the first offset that may be delivered. */
    public synchronized long nextOffset() {
        return inFlight.nextOffset();
    }

    /**
     * Whether there may be something to deliver.
     *
     * @param readableEnd where what may be read ends
     */
    public boolean canAcquire(long readableEnd) {
        int maxRecordLocks = settings.get().maxRecordLocks();
        synchronized (this) {
            boolean more = inFlight.endOffset() < readableEnd && !inFlight.isFull(maxRecordLocks);
            return status == Status.ACTIVE && (more || inFlight.hasFree());
        }
    }

    /**
     * Gives a member what is free among batches that were read; its locks begin now.
     *
     * @param from where they were read from: {@link #nextOffset} as it was then
     * @param batches in the order of the log
     * @return in the order of the log; empty where nothing is free
     */
    public List<AcquiredRange> acquire(String member, long from, List<FetchedBatch> batches, AcquireLimits limits) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        List<AcquiredRange> acquired;
        synchronized (this) {
            if (status != Status.ACTIVE) {
                return List.of();
            }
            long deadline = deadline(now);
            acquired =
                    inFlight.acquire(from, batches, new InFlight.Claim(member, deadline, limits, now.maxRecordLocks()));
            if (!acquired.isEmpty()) {
                armExpiry(deadline);
            }
            planWrite(effects);
        }
        effects.run();
        return acquired;
    }

    private long deadline(ShareGroupSettings now) {
        return clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(now.lockMillis());
    }

    /** The log begins later now: what lies below cannot be delivered any more. */
    public void onLogStart(long logStartOffset) {
        Effects effects = new Effects();
        synchronized (this) {
            if (status == Status.ACTIVE) {
                inFlight.archiveBelow(logStartOffset);
                planWrite(effects);
            }
        }
        effects.run();
    }

    // ---- Settling

    /**
     * What a member says became of records that it holds: all of it counts, or nothing.
     *
     * @param acknowledgements without fault
     * @return NONE once it is durable; INVALID_RECORD_STATE where the member does not hold a record, be it that its lock has
     *     expired; INVALID_REQUEST where there is no such record; else why it could not be kept, and then the member holds them
     *     still
     */
    public CompletionStage<Errors> acknowledge(String member, List<Acknowledgement> acknowledgements) {
        ShareGroupSettings now = settings.get();
        Settlement settlement = new Settlement();
        Effects effects = new Effects();
        Errors error;
        synchronized (this) {
            AcknowledgeRules rules = new AcknowledgeRules(inFlight, member, now, settlement);
            error = status == Status.ACTIVE ? rules.settle(acknowledgements) : lostOrLoading();
            if (error == Errors.NONE) {
                rules.renew(acknowledgements, deadline(now));
                submit(settlement, effects);
            } else {
                settlement.undo();
            }
        }
        effects.run();
        return error == Errors.NONE ? settlement.answer : CompletableFuture.completedFuture(error);
    }

    private Errors lostOrLoading() {
        return status == Status.LOST ? lostWith : Errors.INVALID_RECORD_STATE;
    }

    /**
     * A member is gone, and what it holds may be delivered to others.
     *
     * @param delivered whether the records may have been seen by the application: then this delivery counts, and those that
     *     were delivered too often are given up; else it is as though they had not been delivered
     */
    public void release(String member, boolean delivered) {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            if (status == Status.ACTIVE) {
                giveBackAll(
                        inFlight.all().stream()
                                .filter(span -> span.isHeldBy(member))
                                .toList(),
                        delivered,
                        now,
                        effects);
            }
        }
        effects.run();
    }

    private void giveBackAll(List<Span> held, boolean delivered, ShareGroupSettings now, Effects effects) {
        Settlement settlement = new Settlement();
        for (Span span : held) {
            if (!delivered) {
                inFlight.free(span, span.deliveryCount - 1);
            } else if (span.deliveryCount >= now.deliveryLimit()) {
                // Should it come to nothing, its lock has expired: then it is tried again.
                span.holder = null;
                span.deadlineNanos = clock.nanoTime();
                settlement.giveUp(span, DeadLetter.Cause.DELIVERED_TOO_OFTEN);
            } else {
                inFlight.free(span, span.deliveryCount);
                span.unsaved = true;
            }
        }
        if (!held.isEmpty()) {
            inFlight.advance();
            effects.add(listener::onAvailable);
        }
        submit(settlement, effects);
    }

    // ---- Time

    private void armExpiry(long deadlineNanos) {
        if (expiry != null && expiryNanos - deadlineNanos <= 0) {
            return;
        }
        if (expiry != null) {
            expiry.cancel();
        }
        expiryNanos = deadlineNanos;
        expiry = scheduler.schedule(this::expire, Math.max(0, deadlineNanos - clock.nanoTime()), executor);
    }

    private void expire() {
        ShareGroupSettings now = settings.get();
        Effects effects = new Effects();
        synchronized (this) {
            expiry = null;
            if (status == Status.ACTIVE) {
                long nowNanos = clock.nanoTime();
                giveBackAll(
                        inFlight.all().stream()
                                .filter(span -> isHeld(span) && span.deadlineNanos - nowNanos <= 0)
                                .toList(),
                        true,
                        now,
                        effects);
                armNextExpiry();
            }
        }
        effects.run();
    }

    private void armNextExpiry() {
        for (Span span : inFlight.all()) {
            if (isHeld(span)) {
                armExpiry(span.deadlineNanos);
            }
        }
    }

    private static boolean isHeld(Span span) {
        return span.state == State.ACQUIRED && span.target == null;
    }

    // ---- Keeping

    /** To the dead letter queue first where something goes there, then into the next write. */
    private void submit(Settlement settlement, Effects effects) {
        List<DeadLetter> letters = settlement.letters();
        if (letters.isEmpty()) {
            toWrite.add(settlement);
            planWrite(effects);
        } else {
            effects.add(() -> {
                CompletionStage<?> unused = deadLetters.send(letters).handle((sent, failure) -> {
                    onLettered(settlement, failure);
                    return null;
                });
            });
        }
    }

    private void onLettered(Settlement settlement, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.error("{}: the dead letter queue failed; the records are given up without it", name, failure);
        }
        Effects effects = new Effects();
        synchronized (this) {
            settlement.spans.forEach(span -> span.lettered |= span.cause != null);
            if (status == Status.ACTIVE) {
                toWrite.add(settlement);
                planWrite(effects);
            } else {
                effects.add(() -> settlement.answer.complete(lostWith));
            }
        }
        effects.run();
    }

    private void planWrite(Effects effects) {
        if (writing || status != Status.ACTIVE) {
            return;
        }
        List<Settlement> settlements = toWrite;
        toWrite = new ArrayList<>();
        long start = inFlight.startOffsetToSave();
        List<SavedRange> ranges = takeUnsaved(start, settlements);
        boolean nothing = ranges.isEmpty()
                && start == savedStartOffset
                && settlements.stream().allMatch(settlement -> settlement.spans.isEmpty());
        if (nothing) {
            effects.add(() -> settlements.forEach(settlement -> settlement.answer.complete(Errors.NONE)));
            return;
        }
        writing = true;
        SharePartitionStore.Change change =
                new SharePartitionStore.Change(stateEpoch, start, inFlight.settledFrom(start), ranges);
        effects.add(() -> {
            CompletionStage<?> unused = store.write(change).handle((error, failure) -> {
                onWritten(change, settlements, failure == null ? error : Errors.forException(failure));
                return null;
            });
        });
    }

    /** What is to be kept of spans beyond the start: those on their way now, and those that changed by themselves. */
    private List<SavedRange> takeUnsaved(long start, List<Settlement> settlements) {
        List<Span> written = new ArrayList<>();
        settlements.forEach(settlement -> written.addAll(settlement.spans));
        for (Span span : inFlight.all()) {
            if (span.unsaved && span.target == null) {
                span.unsaved = false;
                written.add(span);
            }
        }
        List<SavedRange> ranges = new ArrayList<>();
        for (Span span : written) {
            if (span.last >= start) {
                ranges.add(span.toSave());
            }
        }
        return ranges;
    }

    private void onWritten(SharePartitionStore.Change change, List<Settlement> settlements, Errors error) {
        Effects effects = new Effects();
        synchronized (this) {
            writing = false;
            if (error == Errors.NONE) {
                savedStartOffset = change.startOffset();
                settlements.forEach(this::reach);
                inFlight.advance();
                effects.add(listener::onAvailable);
            } else {
                onRefused(change, settlements, error, effects);
            }
            effects.add(() -> settlements.forEach(settlement -> settlement.answer.complete(translate(error))));
            planWrite(effects);
        }
        effects.run();
    }

    private void reach(Settlement settlement) {
        for (Span span : settlement.spans) {
            State target = span.target;
            if (target == State.AVAILABLE) {
                inFlight.free(span, span.deliveryCount);
                span.unsaved = false;
            } else if (target != null) {
                span.reach(target);
            }
        }
    }

    /** Nobody knows whether it was kept: members hold what they held, until they say so again or their locks expire. */
    private void onRefused(
            SharePartitionStore.Change change, List<Settlement> settlements, Errors error, Effects effects) {
        settlements.forEach(Settlement::undo);
        if (isFinal(error)) {
            markLost(error, effects);
            return;
        }
        LOG.warn("{}: its state could not be written: {}", name, error);
        // If it was kept after all, what is kept begins at its start now: below that everything has to be said again.
        markUnsaved(inFlight.startOffset(), change.startOffset() - 1);
        change.ranges().forEach(range -> markUnsaved(range.firstOffset(), range.lastOffset()));
        writing = true;
        scheduler.schedule(this::rewrite, REWRITE_NANOS, executor);
        armNextExpiry();
    }

    private void markUnsaved(long first, long last) {
        inFlight.within(first, last, span -> span.target == null).forEach(span -> span.unsaved = true);
    }

    private void rewrite() {
        Effects effects = new Effects();
        synchronized (this) {
            writing = false;
            planWrite(effects);
        }
        effects.run();
    }

    private static boolean isFinal(Errors error) {
        return switch (error) {
            case FENCED_STATE_EPOCH,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    GROUP_ID_NOT_FOUND,
                    INVALID_REQUEST -> true;
            default -> false;
        };
    }

    // ---- The end

    private Errors lose(Errors error) {
        Effects effects = new Effects();
        Errors told;
        synchronized (this) {
            markLost(error, effects);
            told = lostWith;
        }
        effects.run();
        return told;
    }

    /** Nothing more is delivered or kept; what waits is answered. */
    public void close() {
        lose(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    private void markLost(Errors error, Effects effects) {
        if (status == Status.LOST) {
            return;
        }
        status = Status.LOST;
        lostWith = translate(error);
        if (expiry != null) {
            expiry.cancel();
            expiry = null;
        }
        List<Settlement> waiting = toWrite;
        toWrite = new ArrayList<>();
        Errors told = lostWith;
        effects.add(() -> waiting.forEach(settlement -> settlement.answer.complete(told)));
        effects.add(() -> listener.onLost(told));
    }

    /** In the words that members know. */
    private static Errors translate(Errors error) {
        return switch (error) {
            case NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS -> Errors.COORDINATOR_NOT_AVAILABLE;
            case FENCED_STATE_EPOCH, FENCED_LEADER_EPOCH, INVALID_REQUEST -> Errors.NOT_LEADER_OR_FOLLOWER;
            default -> error;
        };
    }

    // ---- For descriptions and tests

    /** Everything below is settled. */
    public synchronized long startOffset() {
        return inFlight.startOffset();
    }

    /** Nothing from here on was delivered yet. */
    public synchronized long endOffset() {
        return inFlight.endOffset();
    }

    /** Whether a member holds the record at an offset, and has not said what became of it. */
    synchronized boolean isHeld(long offset) {
        return inFlight.covers(offset) && inFlight.allWithin(offset, offset, SharePartition::isHeld);
    }

    /** Calls that leave the lock before they are made. */
    private static final class Effects {
        private final List<Runnable> calls = new ArrayList<>();

        void add(Runnable call) {
            calls.add(call);
        }

        void run() {
            calls.forEach(Runnable::run);
        }
    }
}
